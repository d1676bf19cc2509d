#include "model/key_text.hpp"

#include "traces/contracts.hpp"

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>

namespace keyswap::model {

namespace {

constexpr std::size_t shown_size_max = 40; ///< of a wrong row, in messages

template <class Function>
decltype(auto) with_type(KeyType type, Function&& function) {
    switch (type) {
    case KeyType::u32:
        return function(std::uint32_t{});
    case KeyType::u64:
        return function(std::uint64_t{});
    case KeyType::i32:
        return function(std::int32_t{});
    case KeyType::i64:
        return function(std::int64_t{});
    case KeyType::f32:
        return function(float{});
    case KeyType::f64:
        break;
    }
    return function(double{});
}

std::string_view without_blanks(std::string_view row) {
    constexpr std::string_view blanks = " \t\r";
    std::size_t const begin = row.find_first_not_of(blanks);
    if (begin == std::string_view::npos) {
        return {};
    }
    return row.substr(begin, row.find_last_not_of(blanks) - begin + 1);
}

template <class T>
InputError out_of_range(std::string_view row, KeyType type) {
    std::string const problem = "'" + std::string(row.substr(0, shown_size_max)) +
                                "' is out of the range of " + std::string(to_string(type));
    if constexpr (std::integral<T>) {
        return {"",
                problem + " (" + std::to_string(std::numeric_limits<T>::min()) + " to " +
                    std::to_string(std::numeric_limits<T>::max()) + ")",
                "choose a wider --type"};
    } else {
        return {"", problem, "choose a wider --type or write it as inf or 0"};
    }
}

InputError no_key(std::string_view row, KeyType type) {
    if (row.empty()) {
        return {"", "is empty", "remove the row"};
    }
    std::string const shown = "'" + std::string(row.substr(0, shown_size_max)) + "'";
    if (row.find_first_of(",;") != std::string_view::npos) {
        return {"", shown + " has more than one column", "keep the column of keys alone"};
    }
    return {"",
            shown + " is no " + std::string(to_string(type)) + " key",
            "remove the row, or choose another --type"};
}

} // namespace

bool is_heading(std::string_view row) {
    row = without_blanks(row);
    double value = 0;
    bool const special =
        std::from_chars(row.data(), row.data() + row.size(), value).ptr == row.data() + row.size();
    return !row.empty() && !special && row.find_first_of("0123456789+-.,;") != 0;
}

Expected<void> parse_key(std::string_view row, KeyType type, std::span<std::byte> key) {
    KEYSWAP_EXPECTS(key.size() == key_size_bytes(type));
    std::string_view const text = without_blanks(row);
    bool const plus = text.starts_with('+') && !text.starts_with("+-");
    char const* const begin = text.data() + (plus ? 1 : 0);
    char const* const end = text.data() + text.size();
    return with_type(type, [&]<class T>(T value) -> Expected<void> {
        auto const [stop, error] = std::from_chars(begin, end, value);
        if (error == std::errc::result_out_of_range && stop == end) {
            return tl::unexpected(out_of_range<T>(text, type));
        }
        bool const negative = std::unsigned_integral<T> && text.starts_with('-');
        if (negative && text.size() > 1 &&
            text.find_first_not_of("0123456789", 1) == std::string_view::npos) {
            return tl::unexpected(out_of_range<T>(text, type));
        }
        if (error != std::errc() || stop != end) {
            return tl::unexpected(no_key(text, type));
        }
        std::memcpy(key.data(), &value, sizeof(value));
        return {};
    });
}

void append_key(std::string& text, KeyType type, std::span<std::byte const> key) {
    KEYSWAP_EXPECTS(key.size() == key_size_bytes(type));
    with_type(type, [&]<class T>(T value) {
        std::memcpy(&value, key.data(), sizeof(value));
        std::array<char, 32> digits{};
        auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        text.append(digits.data(), end);
    });
}

std::string key_text(KeyType type, std::span<std::byte const> key) {
    std::string text;
    append_key(text, type, key);
    return text;
}

} // namespace keyswap::model
