-- ARGV: owner, number, last sequence that was seen, whether the events are wanted.
local number, seen = ARGV[4], tonumber(ARGV[5])
if redis.call('HGET', streams, 'owner') ~= ARGV[3] then return {'unknown'} end
local it = read(number)
if not it or over(it) then return {'unknown'} end
local before = it.count
trim(number, it)
if it.count ~= before then write(number, it) end
if seen > it.last then return {'unknown'} end
if seen < it.last - it.count then return {'forgotten'} end
local ended = it.ended > 0 and 1 or 0
if ARGV[6] == '' then
  local words = redis.call('HGET', streams, 'words:' .. number)
  return {'ok', (seen < it.last or ended == 1) and 1 or 0, words and string.match(words, '^%d+')}
end
local answer = {'ok', it.kind, ended}
if seen < it.last then
  for _, entry in ipairs(redis.call('XRANGE', events(number), whole(seen + 1) .. '-0', '+')) do
    answer[#answer + 1] = entry[2][4]
  end
  -- The events are gone although the stream is not: to give the rest would hide a gap.
  if #answer - 3 ~= it.last - seen then return {'forgotten'} end
end
return answer
