"""The 40 design primitives of table 4 (CoDE, A.11), and those that MiniWoB's own tasks are made of."""

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.tasks.sites import shop_templates, templates
from procgen_bench.tasks.sites.elements import Behaviour, Element

#: Pixels between two blocks of a page.
BLOCK_GAP = 8


@dataclass(frozen=True)
class Primitive:
    """A piece of a page.

    Attributes:
        name: What designs call it by.
        template: The template that made it, e.g. ``"input"``.
        root: Its elements.
        field: Name of the field of the instruction that it asks for; empty of a passive primitive.
        label: What the instruction calls the field.
    """

    name: str
    template: str
    root: Element
    field: str = ""
    label: str = ""

    @property
    def active(self) -> bool:
        """Whether it asks for a field of the instruction."""
        return bool(self.field)

    @property
    def height(self) -> int:
        """Pixels of its block, the gap below it included."""
        return self.root.box.top + self.root.box.height + BLOCK_GAP

    @cached_property
    def leaves(self) -> bool:
        """Whether it leads to the next page."""
        return any(element.behaviour == Behaviour.LEAVE for element in self.root)

    @cached_property
    def submits(self) -> bool:
        """Whether it sends the site off."""
        return any(element.behaviour == Behaviour.SUBMIT for element in self.root)

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The values that it can hold; none where it takes any text."""
        behaviours = {element.behaviour for element in self.root}
        if Behaviour.CHECK in behaviours:
            return (YES,)
        if Behaviour.CHOOSE in behaviours:
            return tuple(e.attribute("value") for e in self.root if e.behaviour == Behaviour.CHOOSE)
        if Behaviour.SELECT in behaviours:
            return tuple(e.text for e in self.root if e.tag == "option" and e.text)
        return ()


#: The value of a field that asks to check a box.
YES = "yes"


def _input(name: str, label: str, placeholder: str = "", type_: str = "text") -> Primitive:
    return Primitive(name, "input", templates.text_input(name, label, type_, placeholder), name, label)


def _selection(name: str, label: str) -> Primitive:
    return Primitive(name, "selection", templates.selection(name, label), name, label)


def _multi_selection(name: str, label: str, *options: str) -> Primitive:
    return Primitive(name, "multi-selection", templates.multi_selection(name, label, options), name, label)


def _button(name: str, text: str, behaviour: Behaviour = Behaviour.LEAVE) -> Primitive:
    return Primitive(name, "button", templates.button(text, behaviour))


def _catalogue() -> list[Primitive]:
    return [
        _input("addressline1", "Address line 1", "Street and number"),
        _input("addressline2", "Address line 2", "Flat or floor"),
        _multi_selection("cabin", "Cabin", "Economy", "First"),
        _input("captcha", "Captcha", "Type the word"),
        Primitive(
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
        Primitive(
            "cart",
            "cart",
            shop_templates.cart(
                "Your cart",
                [("Shoe", "Brown leather", "$59"), ("Bag", "Light canvas", "$35"), ("Tshirt", "Plain cotton", "$12")],
                "Promo code",
            ),
        ),
        _multi_selection("cc", "Card type", "Credit Card", "Debit Card"),
        _input("cccvv", "CVV", "Three digits"),
        _input("ccexpdate", "Expiration date", "MM/YY"),
        _input("ccnumber", "Card number"),
        _input("city", "City"),
        Primitive("dealmedia", "media", shop_templates.media("Deal of the Day", "Gone at midnight", "See the offer")),
        Primitive(
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
        _input("departureairport", "Departure airport", "City or airport"),
        _input("departuredate", "Departure date", "YYYY-MM-DD"),
        _input("destinationairport", "Destination airport", "City or airport"),
        _input("destinationdate", "Destination date", "YYYY-MM-DD"),
        _input("firstname", "First name"),
        _multi_selection("flighttype", "Flight type", "Oneway", "Roundtrip"),
        Primitive(
            "footer",
            "footer",
            shop_templates.footer(
                "All prices in dollars", "A shop like no other", ["Contact", "Terms", "Support", "Full Site"]
            ),
        ),
        Primitive("forgotpassword", "link", templates.link("Forgot your password?")),
        Primitive("forgotusername", "link", templates.link("Forgot your username?")),
        _input("fullname", "Full name", "First and last name"),
        Primitive("header", "label", templates.heading("Welcome")),
        Primitive("header_login", "label", templates.heading("Log in")),
        Primitive("header_select_items", "label", templates.heading("Select your items")),
        Primitive("inpgroup", "input", templates.group("@", "search", "Search the site", "Search")),
        _input("lastname", "Last name"),
        Primitive(
            "navbar",
            "navigation bar",
            shop_templates.navigation_bar("Shop", ["Home", "Login", "Account", "Cart", "Checkout"]),
        ),
        _button("next_checkout", "Checkout"),
        _button("next_login", "Login and Checkout"),
        _button("next_login_page", "Login"),
        Primitive(
            "numberofpeople",
            "multi-selection",
            templates.drop_down("numberofpeople", "Number of people", ["1", "2", "3", "4"]),
            "numberofpeople",
            "Number of people",
        ),
        _input("password", "Password", type_="password"),
        _selection("rememberme", "Remember me"),
        _input("state", "State", "Two letters"),
        _selection("stayloggedin", "Stay logged in"),
        _button("submit", "Place Order", Behaviour.SUBMIT),
        _input("username", "Username"),
        _input("zipcode", "Zip code"),
    ]


def _of_miniwob() -> list[Primitive]:
    shifts = {f"entertext_{place}": 48 * place for place in range(6)}
    return [
        *(
            Primitive(name, "input", templates.text_input("text", "Enter", left=left), "text", "Text")
            for name, left in shifts.items()
        ),
        Primitive(
            "verifypassword",
            "input",
            templates.text_input("verifypassword", "Verify password", "password"),
            "password",
            "Password",
        ),
        Primitive("header_password", "label", templates.heading("Enter the password twice")),
    ]


#: The 40 primitives that designs are made of, by name, in the order of table 4.
CATALOGUE = MappingProxyType({primitive.name: primitive for primitive in _catalogue()})
#: The further ones of MiniWoB's tasks; generators do not draw them. ``entertext_K`` stands K x 48 pixels to the right.
OF_MINIWOB = MappingProxyType({primitive.name: primitive for primitive in _of_miniwob()})
PRIMITIVES = MappingProxyType({**CATALOGUE, **OF_MINIWOB})
#: The fields that active primitives ask for, with what the instruction calls them, in the primitives' order.
FIELDS = MappingProxyType(
    {p.field: p.label for p in PRIMITIVES.values() if p.active and p.name == p.field} | {"text": "Text"}
)
#: Those of them that the catalogue's primitives ask for.
CATALOGUE_FIELDS = tuple(field for field in FIELDS if field in CATALOGUE)


def find_primitive(name: str) -> Primitive:
    """The primitive ``name``.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in PRIMITIVES:
        raise UnknownNameError("primitive", name, list(PRIMITIVES))
    return PRIMITIVES[name]
