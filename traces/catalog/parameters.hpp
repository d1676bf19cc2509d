#pragma once

#include "traces/catalog/algorithm_info.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/sort_shape.hpp"

#include <map>
#include <string>
#include <string_view>

namespace keyswap {

/// The value of one of the algorithm's parameters: the default if absent.
[[nodiscard]] std::uint64_t value_of(SortParameters const& parameters, ParameterInfo const& info);

/// \pre the value is within the parameter's limits
void set_value(SortParameters& parameters, ParameterInfo const& info, std::uint64_t value);

/// Understands values given by name.
/// \return an error for a parameter that the algorithm lacks, or a value out of its limits
[[nodiscard]] Expected<SortParameters>
parameters_from(AlgorithmInfo const& algorithm, std::map<std::string, std::uint64_t> const& given);

/// Says which of the algorithm's parameters is out of its limits, or gives them back.
[[nodiscard]] Expected<SortParameters> validated_parameters(AlgorithmInfo const& algorithm,
                                                            SortParameters const& parameters);

} // namespace keyswap
