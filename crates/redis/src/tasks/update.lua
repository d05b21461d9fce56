-- ARGV: id, owner, record, time to live, version, status, statuses from which it can be reached, whether it is an end, bound on bytes,
-- channel, form.
local id, owner, record, ttl = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
if not owned(id, owner) then return {'unknown'} end
local fields = redis.call('HMGET', task(id), 'status', 'version', 'key', 'created', 'begun')
if not string.find(ARGV[8], ' ' .. fields[1] .. ' ', 1, true) then return {'transition', fields[1]} end
if fields[2] ~= ARGV[6] then return {'conflict'} end
local size = tonumber(string.match(redis.call('HGET', facts, id) or '0', '^%d+'))
while #record > size and bytes() + #record - size > tonumber(ARGV[10]) do
  if not drop_ended(nil) then return {'bytes'} end
end
local over = tonumber(fields[5]) + ttl
local version = redis.call('HINCRBY', task(id), 'version', 1)
redis.call('HSET', task(id), 'form', ARGV[12], 'status', ARGV[7], 'record', record, 'over', whole(over))
redis.call('PEXPIRE', task(id), math.max(over - now, 1))
redis.call('HSET', facts, id, #record .. ' ' .. owner)
redis.call('INCRBY', total, #record - size)
redis.call('ZADD', overs, whole(over), id)
if ARGV[9] ~= '' then redis.call('ZADD', ends, fields[3], id) end
keep(owner, over - now)
redis.call('PUBLISH', ARGV[11], '')
return {'ok', version, fields[3], fields[4]}
