#include "tools/external/range_sample.hpp"

#include "kernels/cpu/thread_team.hpp"
#include "model/external/external_accesses.hpp"
#include "model/external/external_records.hpp"
#include "tools/external/pipeline/each_part.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace keyswap::tools {

namespace {

constexpr std::size_t places_at_once = std::size_t{1} << 13; ///< sample positions read at once

/// Images of the records at `positions`.
Expected<std::vector<model::uint128>>
draw_at(ExternalRun& run, std::span<std::uint64_t const> positions, RangeFiles& files) {
    std::size_t const size = run.job.layout.record_bytes;
    std::vector<model::uint128> images(positions.size());
    for (std::size_t first = 0; first < positions.size(); first += places_at_once) {
        std::size_t const count = std::min(places_at_once, positions.size() - first);
        std::vector<RangeFiles::Place> places;
        for (std::size_t i = first; i < first + count; ++i) {
            KEYSWAP_TRY(auto place, files.find(positions[i]));
            places.push_back(std::move(place));
        }
        auto const read = [&](std::size_t share, unsigned /*thread*/) -> Expected<void> {
            auto const [begin, end] =
                kernels::block_of(count, model::sample_accesses, static_cast<unsigned>(share));
            std::vector<std::byte> record(size);
            for (std::size_t i = begin; i < end; ++i) {
                KEYSWAP_RETURN_IF_ERROR(run.poll());
                KEYSWAP_RETURN_IF_ERROR(places[i].file->read(places[i].offset, record));
                images[first + i] = model::with_image_reader(
                    run.job.layout,
                    [&](auto const& reader) -> model::uint128 { return reader(record.data()); });
            }
            return {};
        };
        KEYSWAP_RETURN_IF_ERROR(
            for_each_part(model::sample_accesses, model::sample_accesses, read));
    }
    run.result.read_bytes += positions.size() * size;
    return images;
}

} // namespace

Expected<std::vector<model::uint128>> sample_range(ExternalRun& run,
                                                   RangeState const& source,
                                                   model::RangeTarget const& target,
                                                   RangeFiles& files) {
    auto const positions = model::sample_positions(target, model::external_sample_seed);
    if (source.id != 0 || run.team.is_single_process()) {
        return draw_at(run, positions, files);
    }
    auto const part_of = [&](std::uint32_t rank) {
        auto const [begin, end] = kernels::block_of(positions.size(), run.team.size(), rank);
        return std::span(positions).subspan(begin, end - begin);
    };
    std::vector<model::uint128> own;
    KEYSWAP_RETURN_IF_ERROR(run.team.carry_out("sampling", [&]() -> Expected<void> {
        KEYSWAP_TRY(own, draw_at(run, part_of(run.team.rank()), files));
        return {};
    }));
    std::vector<model::uint128> images;
    for (std::uint32_t rank = 0; rank < run.team.size(); ++rank) {
        auto const part = run.team.values_of(rank, "sample", own, part_of(rank).size());
        images.insert(images.end(), part.begin(), part.end());
    }
    return images;
}

} // namespace keyswap::tools
