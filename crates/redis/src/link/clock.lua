-- The store's own clock, in milliseconds.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + tonumber(ARGV[1])
-- Whole numbers, as they are kept.
local function whole(number) return string.format('%.0f', number) end
