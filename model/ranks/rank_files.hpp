#pragma once

/// \file File names with one file per rank.

#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::model {

inline constexpr std::string_view rank_mark = "{rank}";

/// True if the name contains "{rank}" and thus stands for one file per rank: "part-{rank}.npy".
[[nodiscard]] inline bool is_one_file_a_rank(std::string_view name) {
    return name.find(rank_mark) != std::string_view::npos;
}

/// The name of a rank's file: "part-3.npy".
[[nodiscard]] inline std::string file_of_rank(std::string name, std::uint32_t rank) {
    for (auto at = name.find(rank_mark); at != std::string::npos; at = name.find(rank_mark)) {
        name.replace(at, rank_mark.size(), std::to_string(rank));
    }
    return name;
}

} // namespace keyswap::model
