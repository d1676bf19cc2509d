#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace keyswap::kernels {

/// Sorted runs cut into pieces of the merged order: piece i consists of keys [cuts[i][r], cuts[i +
/// 1][r]) of each run r. Equal keys are in order of their runs.
struct PieceCuts {
    std::vector<std::vector<std::size_t>> cuts; ///< [pieces + 1][runs]
    std::size_t piece_keys_max = 0;             ///< size of the largest piece
};

/// Cuts runs at keys of a regular sample, so that for any keys a piece has at most 1.5 *
/// piece_keys keys, or, if there are more than piece_keys / 2 runs, piece_keys plus one per
/// run.
/// \pre piece_keys > 0
template <class Word>
[[nodiscard]] PieceCuts cut_into_pieces(std::span<std::span<Word const> const> runs,
                                        std::size_t piece_keys) {
    struct Sample {
        Word key;
        std::size_t run;
        std::size_t place;
    };
    std::size_t const distance =
        std::max<std::size_t>(1, piece_keys / std::max<std::size_t>(1, 2 * runs.size()));
    std::vector<Sample> samples;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (std::size_t place = 0; place < runs[run].size(); place += distance) {
            samples.push_back({runs[run][place], run, place});
        }
    }
    std::ranges::sort(samples, {}, [](Sample const& sample) {
        return std::tuple(sample.key, sample.run, sample.place);
    });
    // Between adjacent samples of all runs, each run has at most distance - 1 further keys.
    std::size_t const samples_per_piece = std::max<std::size_t>(1, piece_keys / distance);
    PieceCuts result;
    result.piece_keys_max = (samples_per_piece + runs.size()) * distance;
    result.cuts.emplace_back(runs.size(), 0);
    for (std::size_t i = samples_per_piece; i < samples.size(); i += samples_per_piece) {
        Sample const& sample = samples[i];
        std::vector<std::size_t> cut(runs.size());
        for (std::size_t run = 0; run < runs.size(); ++run) {
            auto const before = run < sample.run ? std::ranges::upper_bound(runs[run], sample.key)
                                                 : std::ranges::lower_bound(runs[run], sample.key);
            cut[run] = run == sample.run ? sample.place
                                         : static_cast<std::size_t>(before - runs[run].begin());
        }
        result.cuts.push_back(std::move(cut));
    }
    std::vector<std::size_t>& end = result.cuts.emplace_back();
    for (auto const& run : runs) {
        end.push_back(run.size());
    }
    return result;
}

} // namespace keyswap::kernels
