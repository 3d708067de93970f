"""Options of the teachers of designs under which all that they do happens within a few dozen episodes."""

DESIGN_TEACHERS = {
    "code": "slots=3,batch=3,episodes=2,trivial=scaled",
    "paired": "slots=3,batch=3,episodes=1",
    "alp": "slots=3,batch=3,episodes=1",
    "scheduled-designs": "slots=3,batch=3,episodes=1,rises_over=100",
}
