-- ARGV: channel, and a stream if only that one is to be forgotten. Gives the streams that were there.
local dropped = {'ok'}
for _, number in ipairs(redis.call('HKEYS', streams)) do
  if read(number) and (not ARGV[4] or ARGV[4] == number) then
    drop(number)
    dropped[#dropped + 1] = number
  end
end
if redis.call('HLEN', streams) <= 1 then redis.call('DEL', streams) end
if ARGV[3] ~= '' then redis.call('PUBLISH', ARGV[3], '') end
return dropped
