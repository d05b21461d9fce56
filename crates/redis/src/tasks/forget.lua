-- ARGV: owner, what the channels of tasks begin with.
for _, id in ipairs(redis.call('ZRANGE', of(ARGV[2]), 0, -1)) do
  remove(id)
  redis.call('PUBLISH', ARGV[3] .. id, '')
end
return {'ok'}
