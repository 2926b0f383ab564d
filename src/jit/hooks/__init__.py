"""What git and agent clients call: each hook hears an intent, asks the engine once, and answers in the caller's own
form.
"""
