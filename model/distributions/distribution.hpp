#pragma once

#include "model/distributions/key_recipe.hpp"
#include "traces/errors/input_error.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::model {

/// The only parameter of a distribution.
struct DistributionParameter {
    std::string_view name;    ///< empty if the distribution has none
    double default_value = 0; ///< used if the caller gives none
    double min = 0;
    double max = 0;
    bool whole = false; ///< integers only
};

/// A distribution and its parameter as given; neither need be valid.
struct NamedDistribution {
    std::string name = "uniform";
    std::optional<double> parameter = std::nullopt; ///< nullopt: the default

    friend bool operator==(NamedDistribution const&, NamedDistribution const&) = default;
};

/// Lower 64 bits of a 128-bit key; the upper 64 bits are generated as a u64 (or i64) key.
enum class LowWord {
    zero,  ///< equality and order of the keys are those of their upper halves
    random ///< 64 bits from a separate stream
};

/// A named rule that generates keys.
struct Distribution {
    std::string_view name;
    DistributionParameter parameter;
    std::string_view definition; ///< one sentence; for 128-bit keys it describes the upper half
    std::string_view source;     ///< paper or benchmark that defines it
    /// \pre the keys have at most 64 bits; a parameter is given if the distribution has one
    KeyRecipe (*recipe)(KeyRequest const&);
    LowWord low_word = LowWord::zero;
};

/// All distributions, in the order of --list.
[[nodiscard]] std::span<Distribution const> distributions();

/// The distribution with this name, or an error that lists all names.
[[nodiscard]] Expected<Distribution const*> find_distribution(std::string_view name);

} // namespace keyswap::model
