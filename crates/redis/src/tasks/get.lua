-- ARGV: id, owner.
if not owned(ARGV[2], ARGV[3]) then return {'unknown'} end
local server = redis.call('HGET', task(ARGV[2]), 'server')
if server and server ~= '' and not redis.call('ZSCORE', ends, ARGV[2])
  and redis.call('EXISTS', base .. ':alive:' .. server) == 0 then
  return {'lost', stored(ARGV[2])}
end
return {'ok', stored(ARGV[2])}
