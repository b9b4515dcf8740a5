"""What does an instruction to be accurate do to a claim, axis by axis?"""
