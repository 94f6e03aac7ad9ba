"""Conversations of an agent and a simulated user over an environment.

`records` what goes in and out, `views` what each side sees, `orchestrator` the turns, `prompts` the
system prompts, `scripted` players that are no models, `judges` and `user_review` verdicts of a
model on a finished trial, `recount` what its writes changed.
"""
