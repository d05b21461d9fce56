-- What was said to the client of one session. KEYS: a hash; the messages are a stream beside it. ARGV: how long they are kept, then the
-- arguments of the script itself.
local said, messages, age = KEYS[1], KEYS[1] .. ':messages', ARGV[2]
local function number(field) return tonumber(redis.call('HGET', said, field) or 0) end
local function keep()
  redis.call('PEXPIRE', said, age)
  redis.call('PEXPIRE', messages, age)
end
-- Whether it is this owner's; it is if it is new.
local function begin(owner)
  local known = redis.call('HGET', said, 'owner')
  if known then return known == owner end
  redis.call('HSET', said, 'owner', owner)
  return true
end
-- Whether a listener heard it under this number.
local function heard(stream)
  return string.find(redis.call('HGET', said, 'streams') or '', ' ' .. stream .. ' ', 1, true)
end
-- A list of words with one more, and no more than so many.
local function with(words, word, most)
  words = words .. word .. ' '
  local _, count = string.gsub(words, '%x+', '')
  if count > most then words = string.gsub(words, '^ %x+', '', 1) end
  return words
end
-- The sequence before the oldest message that is kept.
local function before()
  local first = redis.call('XRANGE', messages, '-', '+', 'COUNT', 1)[1]
  if not first then return number('last') end
  return tonumber(string.match(first[1], '^%d+')) - 1
end
