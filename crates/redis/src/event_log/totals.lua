-- What all streams take. KEYS: the common beginning of the names. ARGV: stream, bytes, time to live, whether it has ended, bound;
-- or the stream alone, to be forgotten.
local sizes, overs, ends, total = KEYS[1] .. ':sizes', KEYS[1] .. ':overs', KEYS[1] .. ':ends', KEYS[1] .. ':total'
local function forget(member)
  local size = redis.call('HGET', sizes, member)
  if size then
    redis.call('HDEL', sizes, member)
    redis.call('DECRBY', total, size)
  end
  redis.call('ZREM', overs, member)
  redis.call('ZREM', ends, member)
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', overs, '-inf', whole(now), 'LIMIT', 0, 100)) do forget(member) end
local member = ARGV[2]
if not ARGV[3] then
  forget(member)
  return {'ok', 0}
end
local before = tonumber(redis.call('HGET', sizes, member) or 0)
redis.call('HSET', sizes, member, ARGV[3])
local sum = redis.call('INCRBY', total, tonumber(ARGV[3]) - before)
redis.call('ZADD', overs, whole(now + tonumber(ARGV[4])), member)
if ARGV[5] ~= '' then redis.call('ZADD', ends, 'NX', whole(now), member) end
local answer, limit = {'ok', 0}, tonumber(ARGV[6])
while sum > limit do
  local first = redis.call('ZRANGE', ends, 0, 0)[1]
  if not first then break end
  forget(first)
  answer[#answer + 1] = first
  sum = tonumber(redis.call('GET', total))
end
if sum > limit then answer[2] = sum - limit end
for _, key in ipairs({sizes, overs, ends, total}) do
  if redis.call('PTTL', key) < tonumber(ARGV[4]) then redis.call('PEXPIRE', key, ARGV[4]) end
end
return answer
