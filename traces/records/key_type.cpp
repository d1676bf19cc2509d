#include "traces/records/key_type.hpp"

#include "traces/records/enum_names.hpp"

#include <array>

namespace keyswap {

namespace {

/// The first spelling of a value is the one that is printed.
constexpr std::array<EnumName<KeyType>, 20> key_type_names{
    {{"u32", KeyType::u32},     {"u64", KeyType::u64},     {"i32", KeyType::i32},
     {"i64", KeyType::i64},     {"f32", KeyType::f32},     {"f64", KeyType::f64},
     {"u128", KeyType::u128},   {"i128", KeyType::i128},   {"b128", KeyType::b128},
     {"uint32", KeyType::u32},  {"uint64", KeyType::u64},  {"int32", KeyType::i32},
     {"int64", KeyType::i64},   {"float32", KeyType::f32}, {"float64", KeyType::f64},
     {"float", KeyType::f32},   {"double", KeyType::f64},  {"uint128", KeyType::u128},
     {"int128", KeyType::i128}, {"bytes16", KeyType::b128}}};
constexpr std::array<EnumName<Direction>, 2> direction_names{
    {{"ascending", Direction::ascending}, {"descending", Direction::descending}}};
constexpr std::array<EnumName<ValueType>, 3> value_type_names{
    {{"none", ValueType::none}, {"32", ValueType::bits32}, {"64", ValueType::bits64}}};
constexpr std::array<EnumName<Stability>, 2> stability_names{
    {{"unstable", Stability::unstable}, {"stable", Stability::stable}}};
constexpr std::array<EnumName<ZeroOrder>, 2> zero_order_names{
    {{"total", ZeroOrder::total}, {"equal", ZeroOrder::equal}}};

} // namespace

int key_bits(KeyType type) {
    return static_cast<int>(8 * key_size_bytes(type));
}

std::size_t key_size_bytes(KeyType type) {
    switch (type) {
    case KeyType::u32:
    case KeyType::i32:
    case KeyType::f32:
        return 4;
    case KeyType::u64:
    case KeyType::i64:
    case KeyType::f64:
        return 8;
    case KeyType::u128:
    case KeyType::i128:
    case KeyType::b128:
        return 16;
    }
    return 0;
}

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

std::string_view to_string(KeyType type) {
    return name_of<KeyType>(key_type_names, type);
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

} // namespace keyswap
