#pragma once

#include "traces/catalog/algorithm_info.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/sort_shape.hpp"

#include <map>
#include <string>
#include <string_view>

namespace keyswap {

/// The parameter's value, from its field or by name; `info.default_value` if not set.
[[nodiscard]] std::uint64_t value_of(SortParameters const& parameters, ParameterInfo const& info);

/// \pre the value is within the parameter's limits
void set_value(SortParameters& parameters, ParameterInfo const& info, std::uint64_t value);

/// Builds parameters from values by name; missing ones get their default.
/// \return an error for an unknown parameter or a value out of limits
[[nodiscard]] Expected<SortParameters>
parameters_from(AlgorithmInfo const& algorithm, std::map<std::string, std::uint64_t> const& given);

/// \return the parameters unchanged, or an error for the first value out of limits
[[nodiscard]] Expected<SortParameters> validated_parameters(AlgorithmInfo const& algorithm,
                                                            SortParameters const& parameters);

} // namespace keyswap
