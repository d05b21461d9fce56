-- ARGV: owner, number, kind, bound on streams, time to live.
local owner, number, most = ARGV[3], ARGV[4], tonumber(ARGV[6])
local known = redis.call('HGET', streams, 'owner')
if known and known ~= owner then return {'unknown'} end
if redis.call('HEXISTS', streams, number) == 1 then return {'conflict'} end
local count, first, first_end, dropped = 0, nil, nil, {'ok'}
for _, other in ipairs(redis.call('HKEYS', streams)) do
  local it = other ~= 'owner' and read(other)
  if it and over(it) then
    drop(other)
    dropped[#dropped + 1] = other
  elseif it then
    count = count + 1
    if it.ended > 0 and (not first_end or it.ended < first_end) then first, first_end = other, it.ended end
  end
end
if count >= most then
  if not first then return {'full'} end
  drop(first)
  dropped[#dropped + 1] = first
end
redis.call('HSET', streams, 'owner', owner)
write(number, { kind = ARGV[5], last = 0, count = 0, bytes = 0, oldest = 0, ended = 0, once = '' })
redis.call('PEXPIRE', streams, ARGV[7])
return dropped
