"""Does a profile hold when one thing about how the judges are asked is changed?"""
