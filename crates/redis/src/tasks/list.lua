-- ARGV: owner, the key after which to begin, how many at most.
local answer = {'ok'}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', of(ARGV[2]), '(' .. ARGV[3], '+inf', 'LIMIT', 0, ARGV[4])) do
  if owned(id, ARGV[2]) then answer[#answer + 1] = stored(id) end
end
return answer
