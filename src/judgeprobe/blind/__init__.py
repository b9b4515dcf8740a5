"""How good does a judge look against labels of people who did not know how a sentence was made?"""
