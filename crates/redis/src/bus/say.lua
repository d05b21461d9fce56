-- ARGV: owner, message, bounds on messages and on bytes, mark, how many marks are known again,
-- which message it is.
local message, most, room, server, mark = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8]
if not begin(ARGV[3]) then return {'unknown'} end
local once = redis.call('HGET', said, 'once') or ' '
if string.find(once, ' ' .. ARGV[10] .. ' ', 1, true) then return {'ok'} end
if server ~= '' then
  local told = redis.call('HGET', said, 'mark:' .. server) or ' '
  if string.find(told, ' ' .. mark .. ' ', 1, true) then return {'ok'} end
  redis.call('HSET', said, 'mark:' .. server, with(told, mark, tonumber(ARGV[9])))
end
local last = redis.call('HINCRBY', said, 'last', 1)
redis.call('XADD', messages, last .. '-0', 'd', message)
local bytes = redis.call('HINCRBY', said, 'bytes', #message)
redis.call('HSET', said, 'once', with(once, ARGV[10], 16))
while redis.call('XLEN', messages) > 0 and (redis.call('XLEN', messages) > most or bytes > room) do
  local first = redis.call('XRANGE', messages, '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', messages, first[1])
  bytes = redis.call('HINCRBY', said, 'bytes', -#first[2][2])
end
keep()
redis.call('PUBLISH', said, '')
return {'ok'}
