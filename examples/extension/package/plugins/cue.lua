-- Understudy runs this in each session: it gives the cue when a turn begins.
return { name = "cue", on_turn = function(turn) turn:say("ready") end }
