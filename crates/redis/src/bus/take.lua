-- ARGV: stream, turn, whether to take.
local fields = redis.call('HMGET', said, 'turn', 'taken', 'last')
if fields[1] ~= ARGV[4] or not heard(ARGV[3]) then return {'unknown'} end
local taken, last = tonumber(fields[2] or 0), tonumber(fields[3] or 0)
keep()
if ARGV[5] == '' then return {'ok', taken < last and 1 or 0} end
taken = math.max(taken, before())
local answer = {'ok', whole(taken + 1)}
for _, entry in ipairs(redis.call('XRANGE', messages, whole(taken + 1) .. '-0', '+')) do
  answer[#answer + 1] = entry[2][2]
end
redis.call('HSET', said, 'taken', whole(last))
return answer
