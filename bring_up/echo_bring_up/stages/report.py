"""stub"""
title = "report"
def steps(context):
    return []
