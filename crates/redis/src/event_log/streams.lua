-- The streams of one session. KEYS: their hash, with its owner and one field for each stream. ARGV: how long events are kept, then the
-- arguments of the script itself.
local streams, age = KEYS[1], tonumber(ARGV[2])
local EVENT = 64
local function events(number) return streams .. ':' .. number end
-- Kind, last sequence, events that are kept, their bytes, when the oldest was written, when it ended, and which append came last.
local function read(number)
  local text = redis.call('HGET', streams, number)
  if not text then return nil end
  local kind, last, count, bytes, oldest, ended, once = string.match(text, '^(%a) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  if not kind then return nil end
  return { kind = kind, last = tonumber(last), count = tonumber(count), bytes = tonumber(bytes),
    oldest = tonumber(oldest), ended = tonumber(ended), once = once }
end
local function write(number, it)
  local text = table.concat({ it.kind, whole(it.last), whole(it.count), whole(it.bytes), whole(it.oldest), whole(it.ended), it.once }, ' ')
  redis.call('HSET', streams, number, text)
end
local function over(it) return it.ended > 0 and now - it.ended >= age end
local function drop(number)
  redis.call('HDEL', streams, number, 'words:' .. number)
  redis.call('DEL', events(number))
end
-- Where every stream has ended, what is known of them lives no longer than their events.
local function shorten()
  for _, other in ipairs(redis.call('HKEYS', streams)) do
    local it = other ~= 'owner' and read(other)
    if it and it.ended == 0 then return end
  end
  redis.call('PEXPIRE', streams, age)
end
local function cost(it) return it.bytes + it.count * EVENT end
-- Drops the oldest event.
local function shift(number, it)
  local first = redis.call('XRANGE', events(number), '-', '+', 'COUNT', 2)
  if not first[1] then
    it.count, it.bytes = 0, 0
    return
  end
  redis.call('XDEL', events(number), first[1][1])
  it.count, it.bytes = it.count - 1, it.bytes - #first[1][2][4]
  if first[2] then it.oldest = tonumber(first[2][2][2]) end
end
local function trim(number, it)
  while it.count > 0 and now - it.oldest >= age do shift(number, it) end
end
