"""Makes a small database: three tables, keys between them, a view, and awkward values."""

import sqlite3
import sys

COUNTRIES = ["Argentina", "Benin", "Chad", "Denmark", "Estonia", "Fiji", "Ghana", "Haiti"]

database = sqlite3.connect(sys.argv[1])
database.executescript(
    """
    CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE city (
        id INTEGER PRIMARY KEY,
        country_id INTEGER NOT NULL REFERENCES country (id),
        name TEXT NOT NULL,
        people INTEGER,
        note TEXT
    );
    CREATE TABLE visit (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city (id), day TEXT);
    CREATE INDEX city_by_country ON city (country_id);
    CREATE VIEW big_city AS SELECT name, people FROM city WHERE people > 500000;
    """
)
NOTES = [None, "", "<b>bold?</b>", "quote ' and \" quote", "שלום", "🏙️", "x" * 300]
for index, name in enumerate(COUNTRIES, start=1):
    database.execute("INSERT INTO country VALUES (?, ?)", (index, name))
for index in range(1, 241):
    database.execute(
        "INSERT INTO city VALUES (?, ?, ?, ?, ?)",
        (index, index % 8 + 1, f"City {index}", index * 4211, NOTES[index % len(NOTES)]),
    )
    database.execute(
        "INSERT INTO visit VALUES (?, ?, ?)", (index, index, f"2024-{index % 12 + 1:02}-15")
    )
database.commit()
