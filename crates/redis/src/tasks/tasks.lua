-- All tasks. KEYS: the common beginning of their names. A task is a hash; beside it are its owner and size, and the order of all tasks,
-- of those that have ended, of each owner's and of their ends.
local base = KEYS[1]
local facts, all, ends, overs, total, count =
  base .. ':facts', base .. ':all', base .. ':ended', base .. ':overs', base .. ':total', base .. ':count'
local function task(id) return base .. ':task:' .. id end
local function of(owner) return base .. ':of:' .. owner end
local function bytes() return tonumber(redis.call('GET', total) or 0) end
local function remove(id)
  local fact = redis.call('HGET', facts, id)
  if not fact then return end
  local size, owner = string.match(fact, '^(%d+) (%x+)$')
  redis.call('DEL', task(id))
  redis.call('HDEL', facts, id)
  redis.call('DECRBY', total, size)
  for _, key in ipairs({all, ends, overs, of(owner)}) do redis.call('ZREM', key, id) end
end
-- Removes the oldest task that has ended, of one owner or of all.
local function drop_ended(owner)
  local id = nil
  if owner then
    for _, other in ipairs(redis.call('ZRANGE', of(owner), 0, -1)) do
      if redis.call('ZSCORE', ends, other) then
        id = other
        break
      end
    end
  else
    id = redis.call('ZRANGE', ends, 0, 0)[1]
  end
  if id then remove(id) end
  return id
end
-- The keys that order tasks live as long as the longest task.
local function keep(owner, ttl)
  for _, key in ipairs({facts, all, ends, overs, total, count, of(owner)}) do
    local left = redis.call('PTTL', key)
    if left > -2 and left < ttl then redis.call('PEXPIRE', key, whole(ttl)) end
  end
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', overs, '-inf', whole(now), 'LIMIT', 0, 100)) do remove(id) end
-- What the store decides, and the record.
local function stored(id)
  return redis.call('HMGET', task(id), 'form', 'version', 'key', 'created', 'record')
end
-- Whether it is there for this owner.
local function owned(id, owner)
  local fields = redis.call('HMGET', task(id), 'owner', 'over')
  return fields[1] and fields[1] == owner and tonumber(fields[2]) > now
end
