#pragma once

#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Format of a table field.
enum class SweepValue { word, whole, real, gpus, link, error };

struct SweepField {
    char const* name;
    SweepValue kind;
    bool may_be_empty = false;
};

/// Columns of `keyswap whatif --csv`, with the field names of --json. Spaces separate GPUs; "-" is
/// an unchanged link; a swap of "best: flat" was selected as the fastest; a row has either times or
/// an error. low_ms and high_ms bound the interval of total_ms.
inline constexpr std::array<SweepField, 27> sweep_fields{{{"platform", SweepValue::word},
                                                          {"algorithm", SweepValue::word},
                                                          {"num_keys", SweepValue::whole},
                                                          {"key_type", SweepValue::word},
                                                          {"values", SweepValue::word},
                                                          {"distribution", SweepValue::word},
                                                          {"parameter", SweepValue::real, true},
                                                          {"digit_bits", SweepValue::whole},
                                                          {"tolerance_ppm", SweepValue::whole},
                                                          {"fuse_ppm", SweepValue::whole},
                                                          {"link", SweepValue::link},
                                                          {"input_on", SweepValue::word},
                                                          {"output_on", SweepValue::word},
                                                          {"gpu_memory", SweepValue::whole, true},
                                                          {"swap", SweepValue::word},
                                                          {"gpus", SweepValue::gpus, true},
                                                          {"equivalent_sets", SweepValue::whole},
                                                          {"passes", SweepValue::whole, true},
                                                          {"key_swap_ms", SweepValue::real, true},
                                                          {"total_ms", SweepValue::real, true},
                                                          {"low_ms", SweepValue::real, true},
                                                          {"high_ms", SweepValue::real, true},
                                                          {"keys_per_s", SweepValue::real, true},
                                                          {"speed_up", SweepValue::real, true},
                                                          {"device_bytes", SweepValue::whole, true},
                                                          {"keys_most", SweepValue::whole, true},
                                                          {"error", SweepValue::error, true}}};

/// Output of `keyswap whatif --csv`. \param rows from sweep_json()
[[nodiscard]] std::string sweep_csv(Json const& rows);

/// True if the first line is the header of such a file, of this or an earlier version.
[[nodiscard]] bool looks_like_sweep_csv(std::string_view text);

/// Converts `keyswap whatif --csv` to the form of --json, without the seed.
/// \param file name for errors
/// \return an error that names the first invalid line
[[nodiscard]] Expected<nlohmann::json> parse_sweep_csv(std::string const& file,
                                                       std::string_view text);

} // namespace keyswap::tools
