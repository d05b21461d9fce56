-- A session that is counted was used. KEYS: all, the owner's. ARGV: id, idle time.
-- The count may lag behind by an eighth, and must not forget a session before its end.
local idle = tonumber(ARGV[3])
idle = math.floor(idle + idle / 8)
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, 'XX', whole(now + idle), ARGV[2])
  local left = redis.call('PTTL', key)
  if left >= 0 and left < idle then redis.call('PEXPIRE', key, idle) end
end
return {'ok'}
