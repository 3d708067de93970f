"""The 40 design primitives of table 4 (CoDE, A.11), those that MiniWoB's own tasks are made of, and decoys."""

from collections.abc import Mapping
from functools import cache
from itertools import islice
from types import MappingProxyType

from procgen_bench.tasks.sites import shop_templates, templates
from procgen_bench.tasks.sites.elements import Behaviour, Element, renamed
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.variation import PUBLISHED_LOOK, Look
from procgen_bench.tasks.sites.wording import PUBLISHED, decoy_labels

_DECOY = "decoy_"


class _Maker:
    """Makes primitives in a look."""

    def __init__(self, look: Look):
        self.look = look

    def primitive(
        self, name: str, template: str, root: Element, field: str = "", label: str = "", decoy: bool = False
    ) -> Primitive:
        """One in this look's distance to the next."""
        return Primitive(name, template, root, field, label, self.look.gap, decoy)

    def input(self, name: str, label: str, naming: str = templates.LABEL, type_: str = "text") -> Primitive:
        """A line of text that asks for a field of its own name."""
        return self.primitive(name, "input", self.line(label, naming, type_), name, self.look.say(label))

    def line(self, label: str, naming: str = templates.LABEL, type_: str = "text") -> Element:
        """A line of text, named in its published way unless the look has another."""
        said = self.look.say(label)
        return templates.text_input(said, type_, self.naming(naming), self.look.reversed)

    def naming(self, published: str) -> str:
        """How something is named."""
        return published if self.look.naming == PUBLISHED else self.look.naming

    def selection(self, name: str, label: str) -> Primitive:
        """A box to check."""
        said = self.look.say(label)
        return self.primitive(name, "selection", templates.selection(said, self.look.reversed), name, said)

    def multi_selection(self, name: str, legend: str, *options: str, label: str = "") -> Primitive:
        """Options of which one is chosen; ``label`` names them where there is no legend."""
        said, shown = self.look.say(label or legend), self.look.say(legend)
        root = templates.multi_selection(shown, options, self.look.reversed, said)
        return self.primitive(name, "multi-selection", root, name, said)

    def state(self) -> Primitive:
        """A list that drops down; as published, nothing says what it is."""
        said, naming = self.look.say("State"), self.look.naming
        if naming == PUBLISHED:
            root = templates.drop_down("", ("CA", "NY"), templates.ARIA_LABEL)
        else:  # a list shows no placeholder
            given = templates.LABEL if naming == templates.LABEL else templates.ARIA_LABEL
            root = templates.drop_down(said, ("CA", "NY"), given, self.look.reversed)
        return self.primitive("state", "input", root, "state", said)

    def heading(self, name: str, text: str) -> Primitive:
        """A heading."""
        return self.primitive(name, "label", templates.heading(self.look.say(text)))

    def link(self, name: str, text: str) -> Primitive:
        """A link."""
        return self.primitive(name, "link", templates.link(self.look.say(text)))

    def button(self, name: str, text: str, behaviour: Behaviour = Behaviour.LEAVE) -> Primitive:
        """A button to the next page, or to submit."""
        return self.primitive(name, "button", templates.button(self.look.say(text), behaviour))


def _catalogue(make: _Maker) -> list[Primitive]:
    say = make.look.say
    return [
        make.input("addressline1", "Address"),
        make.input("addressline2", "Apt #", templates.PLACEHOLDER),
        make.multi_selection("cabin", "Cabin", "Economy", "First"),
        make.input("captcha", "Enter Captcha"),
        make.primitive(
            "carousel",
            "carousel",
            shop_templates.carousel(
                [
                    ("Summer sale", "Up to half off"),
                    ("New arrivals", "Fresh every week"),
                    ("Free delivery", "On orders over 50"),
                    ("Gift cards", "For every friend"),
                    ("Members first", "Early access for you"),
                ]
            ),
        ),
        make.primitive(
            "cart",
            "cart",
            shop_templates.cart(
                "Your cart",
                [("Shoe", "Brown leather", "$59"), ("Bag", "Light canvas", "$35"), ("Tshirt", "Plain cotton", "$12")],
                "Promo code",
            ),
        ),
        make.multi_selection("cc", "Payment", "Credit Card", "Debit Card"),
        make.input("cccvv", "CVV"),
        make.input("ccexpdate", "Expiration date"),
        make.input("ccnumber", "Credit card number"),
        make.input("city", "City"),
        make.primitive(
            "dealmedia", "media", shop_templates.media("Deal of the Day", "Gone at midnight", say("Get it today!"))
        ),
        make.primitive(
            "deck",
            "deck",
            shop_templates.deck(
                [
                    ("Lamp", "Warm light", "$24"),
                    ("Kettle", "One litre", "$31"),
                    ("Chair", "Oak and linen", "$85"),
                    ("Clock", "Quiet hands", "$19"),
                ],
                "Add to cart",
            ),
        ),
        make.input("departureairport", "From"),
        make.input("departuredate", "Depart"),
        make.input("destinationairport", "To"),
        make.input("destinationdate", "Return"),
        make.input("firstname", "First Name"),
        make.multi_selection("flighttype", "", "Oneway", "Roundtrip", label="Flight type"),
        make.primitive(
            "footer",
            "footer",
            shop_templates.footer("A shop like no other", ["Contact", "Terms", "Support", "Full Site"]),
        ),
        make.link("forgotpassword", "Forgot password."),
        make.link("forgotusername", "Forgot user name."),
        make.input("fullname", "Full Name"),
        make.heading("header", "Shipping Information"),
        make.heading("header_login", "Login"),
        make.heading("header_select_items", "Select items"),
        make.primitive("inpgroup", "input", templates.group("@", "Search the site", "Search")),
        make.input("lastname", "Last Name"),
        make.primitive(
            "navbar",
            "navigation bar",
            shop_templates.navigation_bar("Shop", ["Home", "Login", "Account", "Cart", "Checkout"]),
        ),
        make.button("next_checkout", "Checkout"),
        make.button("next_login", "Login and Checkout"),
        make.button("next_login_page", "Login"),
        make.input("numberofpeople", "Number of passengers", type_="number"),
        make.input("password", "Password", templates.PLACEHOLDER, "password"),
        make.selection("rememberme", "Remember me"),
        make.state(),
        make.selection("stayloggedin", "Stay logged in"),
        make.button("submit", "Place Order", Behaviour.SUBMIT),
        make.input("username", "Username", templates.PLACEHOLDER),
        make.input("zipcode", "ZIP Code"),
    ]


def _of_miniwob(make: _Maker) -> list[Primitive]:
    shifts = {f"entertext_{place}": 48 * place for place in range(6)}
    said, repeated = make.look.say("Enter"), make.look.say("Verify password")
    naming, reversed_ = make.naming(templates.LABEL), make.look.reversed
    return [
        *(
            make.primitive(
                name, "input", templates.text_input(said, "text", naming, reversed_, left=left), "text", said
            )
            for name, left in shifts.items()
        ),
        make.primitive("verifypassword", "input", make.line("Verify password", type_="password"), "password", repeated),
        make.heading("header_password", "Enter the password twice"),
    ]


def _decoys(make: _Maker, known: Mapping[str, Primitive]) -> list[Primitive]:
    """Of each of these that has one: what looks the same but for the label."""
    decoys = []
    for name, label in decoy_labels().items():
        root = renamed(known[name].root, known[name].label, make.look.say(label))
        decoys.append(make.primitive(decoy_name(name), known[name].template, root, decoy=True))
    return decoys


def decoy_name(name: str) -> str:
    """What the decoy of a primitive is called, if it has one."""
    return _DECOY + name


def is_decoy(name: str) -> bool:
    """Whether a primitive of this name is a decoy, which no design may hold."""
    return name.startswith(_DECOY)


@cache
def primitives_in(look: Look) -> Mapping[str, Primitive]:
    """All primitives in a look, by name: the catalogue's 40, MiniWoB's, and decoys."""
    make = _Maker(look)
    known = {primitive.name: primitive for primitive in [*_catalogue(make), *_of_miniwob(make)]}
    return MappingProxyType(known | {decoy.name: decoy for decoy in _decoys(make, known)})


#: Every primitive in the published look, decoys included.
EVERY_PRIMITIVE = primitives_in(PUBLISHED_LOOK)
#: Those that designs may hold: the catalogue's, and MiniWoB's. ``entertext_K`` stands K x 48 pixels to the right.
PRIMITIVES = MappingProxyType({name: one for name, one in EVERY_PRIMITIVE.items() if not is_decoy(name)})
#: The 40 of table 4, in its order, of which generators make designs.
CATALOGUE = MappingProxyType(dict(islice(PRIMITIVES.items(), 40)))
#: The fields that active primitives ask for, in the primitives' order.
FIELDS = (*(p.field for p in PRIMITIVES.values() if p.active and p.name == p.field), "text")
#: Those of them that the catalogue's primitives ask for.
CATALOGUE_FIELDS = tuple(field for field in FIELDS if field in CATALOGUE)
