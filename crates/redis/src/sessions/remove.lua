-- KEYS: the session. ARGV: owner.
local fields = redis.call('HMGET', KEYS[1], 'owner', 'over')
if not fields[1] or fields[1] ~= ARGV[2] or tonumber(fields[2]) <= now then return {'unknown'} end
redis.call('DEL', KEYS[1])
return {'ok'}
