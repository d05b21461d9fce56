-- KEYS: the session. ARGV: owner, record, time of use, idle time, form.
local over = redis.call('HGET', KEYS[1], 'over')
if over and tonumber(over) > now then return {'conflict'} end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'owner', ARGV[2], 'record', ARGV[3], 'used', ARGV[4], 'idle', ARGV[5],
  'form', ARGV[6], 'version', 1, 'over', whole(now + tonumber(ARGV[5])), 'counted', whole(now))
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return {'ok'}
