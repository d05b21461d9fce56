-- ARGV: id, owner, record, time to live, created, status, whether it is listed, bounds on tasks, on the owner's and on bytes, form, server.
local id, owner, record, ttl = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local listed, most, share, room = ARGV[8] ~= '', tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
if redis.call('EXISTS', task(id)) == 1 then return {'conflict'} end
while true do
  local bound = nil
  if redis.call('ZCARD', all) >= most then bound = 'full'
  elseif listed and redis.call('ZCARD', of(owner)) >= share then bound = 'share'
  elseif bytes() + #record > room then bound = 'bytes' end
  if not bound then break end
  if not drop_ended(bound == 'share' and owner or nil) then return {bound} end
end
local key = redis.call('INCR', count)
redis.call('HSET', task(id), 'form', ARGV[12], 'owner', owner, 'version', 1, 'key', key, 'created', ARGV[6], 'status', ARGV[7],
  'record', record, 'begun', whole(now), 'over', whole(now + ttl), 'server', ARGV[13])
redis.call('PEXPIRE', task(id), math.max(ttl, 1))
redis.call('HSET', facts, id, #record .. ' ' .. owner)
redis.call('ZADD', all, key, id)
if listed then redis.call('ZADD', of(owner), key, id) end
redis.call('ZADD', overs, whole(now + ttl), id)
redis.call('INCRBY', total, #record)
keep(owner, ttl)
return {'ok', key}
