-- A place for a session among all sessions, and among those of its owner.
-- KEYS: all, the owner's (not for the anonymous). ARGV: id, idle time, bound on all, bound on the owner's.
local id, idle = ARGV[2], tonumber(ARGV[3])
for _, key in ipairs(KEYS) do redis.call('ZREMRANGEBYSCORE', key, '-inf', whole(now)) end
if redis.call('ZSCORE', KEYS[1], id) then return {'known'} end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return {'full'} end
if KEYS[2] and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then return {'share'} end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, whole(now + idle), id)
  if redis.call('PTTL', key) < idle then redis.call('PEXPIRE', key, idle) end
end
return {'new'}
