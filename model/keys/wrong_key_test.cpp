#include "model/keys/wrong_key.hpp"

#include "model/keys/key_text.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::expect_in;
using namespace std::string_literals;

std::string message_of(std::string const& text, KeyType type = KeyType::i32) {
    InputError const error = wrong_key(text, type);
    return error.problem + " | " + error.remedy;
}

TEST(WrongKey, NamesNotationsAndHowToWriteThem) {
    expect_in(message_of(""), {"is empty", "missing value"});
    expect_in(message_of("NULL"), {"'NULL' is not a valid i32 key", "missing value"});
    expect_in(message_of("nan"), {"neither NaN nor infinity", "f64"});
    expect_in(message_of("TRUE"), {"Boolean", "0 and 1"});
    expect_in(message_of("0x1F"), {"not decimal"});
    expect_in(message_of("1.5"), {"not a valid i32 key", "not a whole number"});
    expect_in(message_of("1e-5"), {"not a whole number"});
    expect_in(message_of("$5"), {"currency"});
    expect_in(message_of("5 \xe2\x82\xac"), {"currency"});
    expect_in(message_of("'5'"), {"quotation marks"});
    expect_in(message_of("\xe2\x88\x92"
                         "5"),
              {"minus sign"});
    expect_in(message_of("\xd9\xa5"), {"non-ASCII digits", "ASCII"});
    expect_in(message_of("5\0"s), {"NUL bytes", "UTF-8"});
    expect_in(message_of("5\r3"), {"CR alone", "tr"});
    expect_in(message_of("1,5", KeyType::f64), {"comma", "decimal point"});
    expect_in(message_of("abc"), {"'abc' is not a valid i32 key", "factorize"});
    expect_in(message_of("fe80::1"), {"16 bytes", "--type b128"});
    expect_in(message_of("fe80::1%eth0", KeyType::b128), {"IPv6", "without a zone"});
}

TEST(WrongKey, KnowsThousandsSeparators) {
    for (std::string const separator : {"'", "_", " ", "\xc2\xa0", "\xe2\x80\xaf"}) {
        expect_in(message_of("-1" + separator + "234" + separator + "567"),
                  {"thousands separators", "write it as -1234567"});
        EXPECT_EQ(message_of("1" + separator + "23").find("thousands"), std::string::npos);
        EXPECT_EQ(message_of("1" + separator).find("thousands"), std::string::npos);
    }
    expect_in(message_of("1.234.567"), {"write it as 1234567"});
    EXPECT_EQ(message_of("1.234").find("thousands"), std::string::npos);
}

TEST(WrongKey, KnowsDatesAndTimes) {
    for (std::string const text : {"2024-01-31",
                                   "2024-01-31 12:30:00",
                                   "2024-01-31T12:30Z",
                                   "31.01.2024",
                                   "1/31/24",
                                   "12:30",
                                   "Jan 31 2024",
                                   "Mon 1 Jan"}) {
        expect_in(message_of(text), {"date or a time", "seconds since 1970"});
    }
}

TEST(WrongKey, AdvisesToRemoveNoRow) {
    for (std::string const text : {"", "NA", "x", "1,2", "5\r", "\"5", "--", "5 6", "#", "1.2.3"}) {
        for (KeyType const type : {KeyType::u32, KeyType::f64, KeyType::b128}) {
            std::string const message = message_of(text, type);
            EXPECT_EQ(message.find("remove the row"), std::string::npos) << message;
            EXPECT_FALSE(wrong_key(text, type).remedy.empty()) << text;
        }
    }
}

TEST(WrongKey, ReadsWholeNumbersWithExponents) {
    std::vector<std::pair<std::string, std::string>> const whole{{"1e+05", "100000"},
                                                                 {"-1E5", "-100000"},
                                                                 {"1.5e3", "1500"},
                                                                 {"1500e-2", "15"},
                                                                 {"0e999", "0"},
                                                                 {"-0e0", "0"},
                                                                 {"+2.50e1", "25"},
                                                                 {"5.0", "5"},
                                                                 {"-12.", "-12"},
                                                                 {"-0.000", "0"},
                                                                 {"-0", "0"}};
    for (auto const& [text, digits] : whole) {
        EXPECT_EQ(digits_of_whole(text), digits) << text;
    }
    for (std::string const text : {"1.5",
                                   ".5",
                                   "1.5e0",
                                   "1e-1",
                                   "e5",
                                   ".5e1",
                                   "1e",
                                   "1e+",
                                   "1e5x",
                                   "1e1e1",
                                   "1e9999",
                                   "1-e5",
                                   ""}) {
        EXPECT_FALSE(digits_of_whole(text)) << text;
    }
    std::int64_t key = 0;
    EXPECT_TRUE(parse_key("1e+05", KeyType::i64, std::as_writable_bytes(std::span(&key, 1))));
    EXPECT_EQ(key, 100'000);
    expect_in(parse_key("1e30", KeyType::i64, std::as_writable_bytes(std::span(&key, 1)))
                  .error()
                  .message(),
              {"out of the range of i64"});
}

TEST(WrongKey, DistinguishesColumnNamesFromValues) {
    for (std::string const name : {"key",
                                   "col1",
                                   "March_total",
                                   "Sunny",
                                   "usd",
                                   "Eurasia",
                                   "na_count",
                                   "price (EUR)",
                                   "id",
                                   "cafe12"}) {
        EXPECT_FALSE(is_value_with_letters(name, KeyType::u32)) << name;
        EXPECT_FALSE(is_value_with_letters(name, KeyType::b128)) << name;
    }
    for (std::string const value : {"NULL",
                                    "Jan 5",
                                    "EUR 5",
                                    "usd1.50",
                                    "np.int64(5)",
                                    "b'5'",
                                    "Infinity",
                                    "True",
                                    "\xd9\xa5",
                                    "\xef\xbc\x95",
                                    "\xe0\xa5\xab",
                                    "\xe2\x82\xac",
                                    "\xc2\xbd"}) {
        EXPECT_TRUE(is_value_with_letters(value, KeyType::u32)) << value;
    }
    for (std::string const value : {"fe80::1%eth0",
                                    "deadbeef-0000-0000-0000-00000000000",
                                    "urn:uuid:deadbeef",
                                    "deadbeef0"}) {
        EXPECT_TRUE(is_value_with_letters(value, KeyType::b128)) << value;
    }
}

} // namespace
} // namespace keyswap::model
