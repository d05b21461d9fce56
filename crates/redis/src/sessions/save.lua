-- KEYS: the session. ARGV: owner, version, record, time of use, idle time, form.
local fields = redis.call('HMGET', KEYS[1], 'owner', 'over', 'version', 'idle')
if not fields[1] or fields[1] ~= ARGV[2] or tonumber(fields[2]) <= now then return {'unknown'} end
if fields[3] ~= ARGV[3] then return {'conflict'} end
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HSET', KEYS[1], 'record', ARGV[4], 'used', ARGV[5], 'idle', ARGV[6], 'form', ARGV[7],
  'over', whole(now + tonumber(ARGV[6])))
redis.call('PEXPIRE', KEYS[1], ARGV[6])
-- A handshake that ends makes a session live longer, and the count has to know.
return {'ok', version, fields[4] ~= ARGV[6] and 1 or 0}
