#pragma once

/// \file Fields shared by a trace's header, the model's configuration and the kernels' options.
/// All three inherit them, so that one assignment copies them all:
///
///     static_cast<SortShape&>(header) = config;

#include "traces/records/key_type.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace keyswap {

/// Key and value types and the requested order. Counts of keys and GPUs are separate: a sorter's
/// options apply to many calls, and a header lists every GPU.
struct SortShape {
    KeyType key_type = KeyType::u32;
    Direction direction = Direction::ascending;
    ValueType value_type = ValueType::none;
    Stability stability = Stability::unstable;
    ZeroOrder zero_order = ZeroOrder::total;

    /// Size of a key with its value.
    [[nodiscard]] std::size_t element_bytes() const {
        return key_size_bytes(key_type) + value_size_bytes(value_type);
    }
    /// Stability as far as it is observable: `unstable` for keys without values.
    [[nodiscard]] Stability ties() const {
        return value_type == ValueType::none ? Stability::unstable : stability;
    }

    friend bool operator==(SortShape const&, SortShape const&) = default;
};

/// Parameters of an algorithm. Those of RMG sort have their own fields, which traces of version 1
/// contain for every algorithm.
struct SortParameters {
    int digit_bits = 8;                 ///< c, 1 to 16; RMG paper, section 4.2: 8
    std::uint32_t tolerance_ppm = 5000; ///< E = floor(C * tolerance / 1e6); section 3.2: 0.5 %
    std::uint32_t fuse_ppm = 10000;     ///< groups below C * fuse / 1e6 are fused; section 3.3: 1 %
    std::map<std::string, std::uint64_t> parameters; ///< all others, by catalogue name

    friend bool operator==(SortParameters const&, SortParameters const&) = default;
};

/// Calls `field(name, value)` for each parameter with its own field, by its catalogue name.
void visit_parameter_fields(auto& parameters, auto&& field) {
    field("digit-bits", parameters.digit_bits);
    field("tolerance-ppm", parameters.tolerance_ppm);
    field("fuse-ppm", parameters.fuse_ppm);
}

} // namespace keyswap
