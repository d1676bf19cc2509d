#pragma once

#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace keyswap::tools {

/// The first line of what `keyswap whatif --csv` prints. GPUs are separated by spaces; "-" is no
/// change of a link; a swap is "best: flat" where the faster one was asked for; a row has either
/// times or an error. low_ms and high_ms are the ends of the total's interval.
inline constexpr std::string_view sweep_csv_header =
    "platform,algorithm,num_keys,key_type,values,distribution,parameter,digit_bits,tolerance_ppm,"
    "fuse_ppm,link,input_on,output_on,swap,gpus,equivalent_sets,passes,key_swap_ms,total_ms,low_ms,"
    "high_ms,keys_per_s,speed_up,device_bytes,keys_most,error";

/// Whether the text's first line is the heading of such a file, of this version or an earlier one.
[[nodiscard]] bool looks_like_sweep_csv(std::string_view text);

/// What `keyswap whatif --csv` printed, in the form of --json. The seed is not told there.
/// \param file for errors
/// \return an error that names the line where the text is something else
[[nodiscard]] Expected<nlohmann::json> parse_sweep_csv(std::string const& file,
                                                       std::string_view text);

} // namespace keyswap::tools
