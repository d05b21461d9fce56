-- ARGV: owner, a number for a new stream, how many of them are known again, and the stream and the sequence of the last message that
-- was seen, if any was.
local stream, seen = ARGV[4], ARGV[6] ~= ''
if seen and not heard(ARGV[6]) then return {'unknown'} end
if not begin(ARGV[3]) then return {'unknown'} end
local oldest, taken = before(), number('taken')
if seen then
  stream, taken = ARGV[6], tonumber(ARGV[7])
  if taken > number('last') then return {'unknown'} end
  if taken < oldest then return {'forgotten'} end
else
  redis.call('HSET', said, 'streams', with(redis.call('HGET', said, 'streams') or ' ', stream, tonumber(ARGV[5])))
end
taken = math.max(taken, oldest)
redis.call('HSET', said, 'taken', whole(taken))
local turn = redis.call('HINCRBY', said, 'turn', 1)
keep()
redis.call('PUBLISH', said, '')
return {'ok', stream, turn, whole(taken)}
