#pragma once

#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// How a field of a row is written in a table.
enum class SweepValue { word, whole, real, gpus, link, error };

struct SweepField {
    char const* name;
    SweepValue kind;
    bool may_be_empty = false;
};

/// The columns of `keyswap whatif --csv`, whose fields are those of --json. GPUs are separated by
/// spaces; "-" is no change of a link; a swap is "best: flat" if the faster one was asked for; a
/// row has either times or an error. low_ms and high_ms are the ends of the total's interval.
inline constexpr std::array<SweepField, 26> sweep_fields{{{"platform", SweepValue::word},
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

/// What `keyswap whatif --csv` prints. \param rows of --json
[[nodiscard]] std::string sweep_csv(Json const& rows);

/// Whether the text's first line is the header of such a file, of this version or an earlier one.
[[nodiscard]] bool looks_like_sweep_csv(std::string_view text);

/// What `keyswap whatif --csv` printed, in the form of --json. The table has no seed.
/// \param file for errors
/// \return an error that names the line where the text is something else
[[nodiscard]] Expected<nlohmann::json> parse_sweep_csv(std::string const& file,
                                                       std::string_view text);

} // namespace keyswap::tools
