#include "tools/report/sections/run_data.hpp"

#include "model/buckets/chunks.hpp"
#include "model/buckets/parts_per_million.hpp"
#include "tools/report/sections/varint_text.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <map>

namespace keyswap::tools {

namespace {

/// For more GPUs, the matrix is summed over groups of GPUs.
constexpr std::size_t matrix_size_max = 64;
/// Maximum rows of the table of spanning buckets; the chart shows all buckets.
constexpr std::size_t spanning_rows_max = 2000;

std::uint64_t size_of(PlacementRecord const& placement) {
    return placement.end - std::min(placement.begin, placement.end);
}

/// Encodes a bucket as numbers: digits skipped since the previous bucket; keys between the previous
/// end and this begin (0 in a valid run); keys; 4 * (first - previous first) + state, signed; and
/// for spanning and cut buckets, last - first.
void encode(VarintText& text,
            PlacementRecord const& placement,
            std::uint64_t digit_gap,
            std::uint64_t position,
            std::uint32_t first_before) {
    text.add(digit_gap);
    text.add_signed(static_cast<std::int64_t>(placement.begin - position));
    text.add(size_of(placement));
    std::int64_t const step = static_cast<std::int64_t>(placement.first.value) - first_before;
    text.add_signed(4 * step + static_cast<std::int64_t>(placement.state));
    if (placement.state != PlacementState::placed) {
        text.add(placement.last.value - std::min(placement.first.value, placement.last.value));
    }
}

/// Buckets of a pass within one parent bucket; with names if digits do not identify them.
Json group_data(RunView const& view,
                model::BucketSpace const& space,
                BucketPrefix parent,
                std::vector<PlacementRecord const*> const& buckets,
                int bits) {
    VarintText text;
    std::uint64_t const first_child = parent.prefix << bits;
    std::uint64_t next_digit = 0;
    std::uint64_t position = buckets.front()->begin;
    std::uint32_t first_before = 0;
    for (PlacementRecord const* bucket : buckets) {
        std::uint64_t const digit = bucket->bucket.prefix - first_child;
        encode(text, *bucket, digit - next_digit, position, first_before);
        next_digit = digit + 1;
        position = bucket->end;
        first_before = bucket->first.value;
    }
    Json data{{"parent", std::to_string(parent.prefix)},
              {"begin", buckets.front()->begin},
              {"count", buckets.size()},
              {"buckets", text.base64()}};
    if (space.digits() == nullptr) {
        Json names = json_array(buckets, [&](PlacementRecord const* bucket) {
            return bucket_name(space, view.header, bucket->bucket);
        });
        data["names"] = std::move(names);
    }
    return data;
}

Json spanning_data(RunView const& view,
                   model::BucketSpace const& space,
                   std::vector<PlacementRecord> const& placements) {
    Json rows = Json::array();
    for (PlacementRecord const& placement : placements) {
        if (placement.state != PlacementState::placed && rows.size() < spanning_rows_max) {
            rows.push_back({{"prefix", bucket_name(space, view.header, placement.bucket)},
                            {"begin", placement.begin},
                            {"end", placement.end},
                            {"share", percent_label(size_of(placement), view.header.key_count)},
                            {"first", placement.first.value},
                            {"last", placement.last.value},
                            {"cut", placement.state == PlacementState::cut}});
        }
    }
    return rows;
}

Json pass_data(RunView const& view,
               model::BucketSpace const& space,
               int pass,
               std::vector<PlacementRecord> const& placements) {
    bool const known = pass >= 1 && pass <= space.pass_count();
    int const bits = known ? space.bits_of(pass) : view.header.digit_bits;
    std::map<std::uint64_t, std::vector<PlacementRecord const*>> by_parent;
    std::map<PlacementState, std::uint64_t> states;
    for (PlacementRecord const& placement : placements) {
        by_parent[placement.bucket.prefix >> bits].push_back(&placement);
        states[placement.state] += 1;
    }
    Json groups = Json::array();
    for (auto& [parent, buckets] : by_parent) {
        std::ranges::stable_sort(buckets, {}, [](auto* bucket) { return bucket->bucket.prefix; });
        groups.push_back(group_data(view, space, {pass - 1, parent}, buckets, bits));
    }
    return {{"pass", pass},
            {"bits", bits},
            {"bits_wide", view.header.digit_bits},
            {"bits_below", known ? space.key_bits() - space.bits_after(pass) : 0},
            {"refined", by_parent.size()},
            {"placed", states[PlacementState::placed]},
            {"spanning", states[PlacementState::spanning]},
            {"cut", states[PlacementState::cut]},
            {"groups", groups},
            {"not_placed", spanning_data(view, space, placements)}};
}

Json gpus_data(RunView const& view) {
    std::size_t const gpus = view.gpu_count();
    Json rows = Json::array();
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
        std::uint64_t received = 0;
        std::uint64_t sent = 0;
        for (std::size_t other = 0; other < gpus; ++other) {
            received += other == gpu ? 0 : view.matrix[other * gpus + gpu];
            sent += other == gpu ? 0 : view.matrix[gpu * gpus + other];
        }
        Json row{{"gpu", gpu}, {"number", view.header.gpus[gpu]}};
        for (OwnershipRecord const& ownership : view.ownership) {
            if (ownership.gpu.value == gpu) {
                row["base"] = ownership.base;
                row["keys"] = ownership.count;
            }
        }
        row["sent"] = sent;
        row["received"] = received;
        row["sorts"] = view.sorts[gpu].calls;
        row["bits_min"] = view.sorts[gpu].end_bit_min;
        row["bits_max"] = view.sorts[gpu].end_bit_max;
        rows.push_back(row);
    }
    return rows;
}

Json times_data(RunView const& view) {
    Json rows = Json::array();
    std::int64_t start = 0;
    for (PhaseTimeRecord const& time : view.times) {
        start = std::min(start, time.begin_ns);
    }
    constexpr double ns_per_ms = 1e6;
    for (PhaseTimeRecord const& time : view.times) {
        rows.push_back({time.gpu.value,
                        time.phase.text(),
                        time.pass,
                        static_cast<double>(time.begin_ns - start) / ns_per_ms,
                        static_cast<double>(time.end_ns - start) / ns_per_ms});
    }
    return rows;
}

/// True if the sort partitions keys among GPUs, as sorts with a border tolerance do; false if it
/// merges.
bool partitions_among_gpus(RunView const& view) {
    auto const known = find_algorithm_info(view.header.algorithm);
    return known && find_parameter(**known, "tolerance-ppm") != nullptr;
}

std::string passes_answer(RunView const& view, model::BucketSpace const& space) {
    if (view.header.key_count == 0) {
        return "There are no keys: nothing is partitioned, moved or sorted.";
    }
    if (view.passes.empty()) {
        return view.gpu_count() <= 1         ? "One GPU holds everything: no partitioning."
               : partitions_among_gpus(view) ? "No partitioning pass was run or recorded."
                                             : "";
    }
    std::string const passes =
        counted(view.passes.size(), "partitioning pass", "partitioning passes");
    PlacementRecord const* largest = nullptr;
    for (auto const& [pass, placements] : view.passes) {
        for (PlacementRecord const& placement : placements) {
            if (placement.state != PlacementState::placed &&
                (largest == nullptr || size_of(placement) > size_of(*largest))) {
                largest = &placement;
            }
        }
    }
    if (largest == nullptr) {
        return passes + ": after the first " + (space.digits() != nullptr ? "digit" : "pass") +
               " every bucket fits on one GPU.";
    }
    bool const cut = largest->state == PlacementState::cut;
    return passes + (cut ? ": the most frequent key value, " : ": the largest bucket to refine, ") +
           bucket_name(space, view.header, largest->bucket) + " of pass " +
           std::to_string(largest->bucket.pass) + ", holds " +
           percent_label(size_of(*largest), view.header.key_count) + " of all keys and " +
           (cut ? "is cut between GPUs " : "spans GPUs ") + std::to_string(largest->first.value) +
           " to " + std::to_string(largest->last.value) + ".";
}

std::string balance_answer(RunView const& view, std::uint64_t chunk, std::uint64_t tolerance) {
    if (view.ownership.empty() || view.header.key_count == 0 || view.gpu_count() == 1) {
        return "";
    }
    auto const fullest = std::ranges::max_element(view.ownership, {}, &OwnershipRecord::count);
    std::string const fill = percent_label(fullest->count, chunk);
    std::uint64_t const bound = chunk + 2 * tolerance;
    bool const has_bound = partitions_among_gpus(view);
    auto const equal = std::ranges::count(view.ownership, fullest->count, &OwnershipRecord::count);
    if (static_cast<std::size_t>(equal) == view.ownership.size()) {
        return "Every GPU owns " + counted(fullest->count, "key") + ".";
    }
    return "GPU " + std::to_string(fullest->gpu.value) + (equal == 1 ? "" : ", among others,") +
           " is the fullest: " + counted(fullest->count, "key") + ", " + fill +
           " of an even share" +
           (!has_bound ? "."
            : fullest->count <= bound
                ? "; the limit is " + grouped_count(bound) + "."
                : ", which is more than the limit of " + grouped_count(bound) + ".");
}

std::string swap_answer(RunView const& view) {
    std::uint64_t moved = 0;
    for (std::size_t cell = 0; cell < view.matrix.size(); ++cell) {
        moved += cell / view.gpu_count() == cell % view.gpu_count() ? 0 : view.matrix[cell];
    }
    if (view.header.key_count == 0 || view.gpu_count() == 1) {
        return "";
    }
    if (moved == 0) {
        return "No keys change GPUs.";
    }
    double const moves = static_cast<double>(moved) / static_cast<double>(view.header.key_count);
    std::string const share =
        moves > 1.0 ? "Keys change GPUs " + printed("%.2f times on average", moves)
                    : percent_label(moved, view.header.key_count) + " of the keys change GPUs";
    return view.copies ? share + ", in " + grouped_count(*view.copies) +
                             (view.copies == 1 ? " copy." : " copies.")
                       : share + ".";
}

} // namespace

Json matrix_data(std::span<std::uint64_t const> cells, std::size_t gpus) {
    std::size_t const block = gpus == 0 ? 1 : (gpus + matrix_size_max - 1) / matrix_size_max;
    std::size_t const size = (gpus + block - 1) / block;
    std::vector<std::uint64_t> sums(size * size, 0);
    for (std::size_t source = 0; source < gpus; ++source) {
        for (std::size_t destination = 0; destination < gpus; ++destination) {
            sums[source / block * size + destination / block] += cells[source * gpus + destination];
        }
    }
    return {{"size", size}, {"block", block}, {"keys", sums}};
}

Json run_data(RunView const& view) {
    RunHeader const& header = view.header;
    auto const gpus = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(view.gpu_count()));
    model::Chunks const chunks(header.key_count, gpus);
    auto const tolerance = model::parts_per_million(chunks.size(), header.tolerance_ppm);
    model::BucketSpace const space = view.bucket_space();
    Json passes = json_array(view.passes, [&](auto const& pass) {
        return pass_data(view, space, pass.first, pass.second);
    });
    return {{"kind", "run"},
            {"title", view.title},
            {"recorded", view.recorded},
            {"expected", view.expected},
            {"verdict", verdict_answer(view.verification, view.verdicts)},
            {"answers",
             {passes_answer(view, space),
              balance_answer(view, chunks.size(), tolerance),
              swap_answer(view)}},
            {"configuration", configuration_rows(header)},
            {"keys", header.key_count},
            {"element_bytes", header.element_bytes()},
            {"gpu_count", view.gpu_count()},
            {"chunk", chunks.size()},
            {"tolerance", tolerance},
            {"passes", passes},
            {"gpus", gpus_data(view)},
            {"matrix", matrix_data(view.matrix, view.gpu_count())},
            {"copies", view.copies ? Json(*view.copies) : Json()},
            {"times", times_data(view)},
            {"checks", view.verification.checks},
            {"verdicts", verdicts_json(view.verdicts)}};
}

} // namespace keyswap::tools
