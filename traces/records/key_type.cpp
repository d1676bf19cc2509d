#include "traces/records/key_type.hpp"

#include "traces/records/enum_names.hpp"

#include <algorithm>
#include <array>

namespace keyswap {

namespace {

/// All spellings of all types. Names come first, since the first spelling of a value is printed.
constexpr auto key_type_names = [] {
    constexpr std::array columns{&KeyTraits::name, &KeyTraits::published_name, &KeyTraits::c_name};
    std::array<EnumName<KeyType>, columns.size() * key_traits.size()> names{};
    std::size_t count = 0;
    for (auto const column : columns) {
        for (KeyTraits const& row : key_traits) {
            names[count++] = {(row.*column).empty() ? row.published_name : row.*column, row.type};
        }
    }
    return names;
}();
static_assert(std::ranges::is_sorted(key_traits, {}, &KeyTraits::type) &&
              key_traits.back().type == static_cast<KeyType>(key_traits.size() - 1));
constexpr std::array<EnumName<Direction>, 2> direction_names{
    {{"ascending", Direction::ascending}, {"descending", Direction::descending}}};
constexpr std::array<EnumName<ValueType>, 3> value_type_names{
    {{"none", ValueType::none}, {"32", ValueType::bits32}, {"64", ValueType::bits64}}};
constexpr std::array<EnumName<Stability>, 2> stability_names{
    {{"unstable", Stability::unstable}, {"stable", Stability::stable}}};
constexpr std::array<EnumName<ZeroOrder>, 2> zero_order_names{
    {{"total", ZeroOrder::total}, {"equal", ZeroOrder::equal}}};
constexpr std::array<EnumName<NanOrder>, 3> nan_order_names{
    {{"total", NanOrder::total}, {"first", NanOrder::first}, {"last", NanOrder::last}}};

} // namespace

std::size_t value_size_bytes(ValueType type) {
    switch (type) {
    case ValueType::none:
        return 0;
    case ValueType::bits32:
        return 4;
    case ValueType::bits64:
        return 8;
    }
    return 0;
}

std::string_view to_string(Direction direction) {
    return name_of<Direction>(direction_names, direction);
}
std::string_view to_string(ValueType type) {
    return name_of<ValueType>(value_type_names, type);
}
std::string_view to_string(Stability stability) {
    return name_of<Stability>(stability_names, stability);
}
std::string_view to_string(ZeroOrder order) {
    return name_of<ZeroOrder>(zero_order_names, order);
}
std::string_view to_string(NanOrder order) {
    return name_of<NanOrder>(nan_order_names, order);
}

std::string key_type_list(std::span<KeyType const> types, std::string_view last_separator) {
    std::string list;
    for (std::size_t i = 0; i < types.size(); ++i) {
        list += i == 0 ? "" : i + 1 < types.size() ? ", " : last_separator;
        list += to_string(types[i]);
    }
    return list;
}

Expected<KeyType> parse_key_type(std::string_view text) {
    return parse<KeyType>(key_type_names, text, "key type");
}
Expected<Direction> parse_direction(std::string_view text) {
    return parse<Direction>(direction_names, text, "direction");
}
Expected<ValueType> parse_value_type(std::string_view text) {
    return parse<ValueType>(value_type_names, text, "value width");
}
Expected<Stability> parse_stability(std::string_view text) {
    return parse<Stability>(stability_names, text, "stability");
}
Expected<ZeroOrder> parse_zero_order(std::string_view text) {
    return parse<ZeroOrder>(zero_order_names, text, "zero order");
}
Expected<NanOrder> parse_nan_order(std::string_view text) {
    return parse<NanOrder>(nan_order_names, text, "order of NaN");
}

} // namespace keyswap
