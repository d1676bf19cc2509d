#pragma once

/// \file What a trace's header, a configuration of the model and the options of the kernels have in
/// common. They inherit it, so that one assignment hands all of it on:
///
///     static_cast<SortShape&>(header) = config;

#include "traces/records/key_type.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace keyswap {

/// What is sorted, into which order. The numbers of keys and GPUs are separate: a sorter's
/// options are those of many calls, and a header names every GPU.
struct SortShape {
    KeyType key_type = KeyType::u32;
    Direction direction = Direction::ascending;
    ValueType value_type = ValueType::none;
    Stability stability = Stability::unstable;
    ZeroOrder zero_order = ZeroOrder::total;

    /// Whether elements of equal keys keep their order: where that is asked for and values show it.
    [[nodiscard]] Stability ties() const {
        return value_type == ValueType::none ? Stability::unstable : stability;
    }

    friend bool operator==(SortShape const&, SortShape const&) = default;
};

/// The parameters of an algorithm. Those of RMG sort have fields; traces of version 1 name
/// them whatever the algorithm.
struct SortParameters {
    int digit_bits = 8;                 ///< c, 1 to 16 (RMG paper, section 4.2: 8)
    std::uint32_t tolerance_ppm = 5000; ///< E = floor(C * tolerance / 1e6); section 3.2: 0.5 %
    std::uint32_t fuse_ppm = 10000;     ///< groups are fused below C * fuse / 1e6; 3.3: 1 %
    std::map<std::string, std::uint64_t> parameters; ///< all others by name

    friend bool operator==(SortParameters const&, SortParameters const&) = default;
};

/// The parameters with fields, listed once, by their names in the catalogue.
void visit_parameter_fields(auto& parameters, auto&& field) {
    field("digit-bits", parameters.digit_bits);
    field("tolerance-ppm", parameters.tolerance_ppm);
    field("fuse-ppm", parameters.fuse_ppm);
}

} // namespace keyswap
