-- KEYS: the session. ARGV: owner, time of use, whether the record is wanted.
local fields = redis.call('HMGET', KEYS[1], 'owner', 'over', 'idle', 'counted', 'version', 'used', 'form')
if not fields[1] or fields[1] ~= ARGV[2] or tonumber(fields[2]) <= now then return {'unknown'} end
local idle = tonumber(fields[3])
redis.call('HSET', KEYS[1], 'used', ARGV[3], 'over', whole(now + idle))
redis.call('PEXPIRE', KEYS[1], fields[3])
local due = false
if now - tonumber(fields[4]) > idle / 8 then
  redis.call('HSET', KEYS[1], 'counted', whole(now))
  due = fields[3]
end
if ARGV[4] == '' then return {'ok', due} end
return {'ok', due, fields[5], fields[6], fields[7], redis.call('HGET', KEYS[1], 'record')}
