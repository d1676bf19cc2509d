#include "proptests/properties/reference_external.hpp"

#include "model/external/external_records.hpp"
#include "traces/format/trace_line.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model::verify {

void showValue(RecordedRun const& run, std::ostream& out) {
    for (TraceRecord const& record : records_of(run)) {
        out << encode_line(record, run.header.version);
    }
}

} // namespace keyswap::model::verify

namespace keyswap::proptests {

namespace {

using model::ImageInterval;
using model::RecordLayout;
using model::uint128;
using model::verify::RecordedRun;

using Bytes = std::vector<std::byte>;

/// nullopt if a file is missing.
std::optional<Bytes> bytes_of_files(InputRecord const& input) {
    std::vector<std::string> paths{input.file};
    paths.insert(paths.end(), input.more_files.begin(), input.more_files.end());
    Bytes all;
    for (std::string const& path : paths) {
        std::ifstream file(path, std::ios::binary);
        if (!file) {
            return std::nullopt;
        }
        std::vector<char> const text{std::istreambuf_iterator<char>(file), {}};
        auto const bytes = std::as_bytes(std::span(text));
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
}

void write(std::string const& path, std::span<std::byte const> bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

/// Records of each range, in order of arrival.
class InMemory {
  public:
    InMemory(RecordLayout const& layout,
             model::ExternalMemory const& memory,
             model::SampleRule const& rule)
        : layout_(layout), memory_(memory), rule_(rule) {}

    void sort(Bytes const& records, RecordedRun& run) {
        KeyRangeRecord root = model::whole_input(layout_, records.size() / layout_.record_bytes);
        run.key_ranges.push_back(root);
        sort_range(0, records, run);
    }
    [[nodiscard]] MultisetDigest digest() const { return sum_; }

  private:
    [[nodiscard]] uint128 image_at(Bytes const& records, std::uint64_t index) const {
        return model::with_image_reader(layout_, [&](auto const& read) -> uint128 {
            return read(records.data() + index * layout_.record_bytes);
        });
    }

    void sort_range(std::size_t id, Bytes const& records, RecordedRun& run) {
        KeyRangeRecord const range = run.key_ranges[id];
        ImageInterval const images = model::images_of(range);
        if (range.count > memory_.records_max && !images.single_valued()) {
            divide(range, records, run);
        } else if (range.count > 0) {
            KeyRangeRecord& leaf = run.key_ranges[id];
            leaf.digest = model::digest_of_records(layout_, records);
            leaf.output = leaf.digest;
            leaf.place = sum_.count;
            sum_ += *leaf.digest;
        }
    }

    /// Positions of the sample; for a stream, those with the smallest hashes.
    [[nodiscard]] std::vector<std::uint64_t> positions(KeyRangeRecord const& range) const {
        auto const target = model::range_target(memory_, range.count);
        if (!rule_.streamed || range.id != 0) {
            return model::sample_positions(target, rule_.seed);
        }
        std::vector<std::uint64_t> places(range.count);
        std::iota(places.begin(), places.end(), std::uint64_t{0});
        std::ranges::sort(places, {}, [&](std::uint64_t place) {
            return mix_bits(rule_.seed + place * 0x9e3779b97f4a7c15ULL);
        });
        places.resize(std::min(target.draws(), range.count));
        std::ranges::sort(places);
        return places;
    }

    void divide(KeyRangeRecord const& range, Bytes const& records, RecordedRun& run) {
        auto const target = model::range_target(memory_, range.count);
        std::vector<uint128> sample;
        for (std::uint64_t const position : positions(range)) {
            sample.push_back(image_at(records, position));
        }
        auto const intervals = model::choose_ranges(sample, target, model::images_of(range));
        run.range_divisions.push_back(
            model::division_record(layout_, memory_, range, rule_, sample, intervals.size()));
        std::vector<Bytes> parts(intervals.size());
        for (std::uint64_t i = 0; i < range.count; ++i) {
            uint128 const image = image_at(records, i);
            auto const in = std::ranges::upper_bound(intervals, image, {}, &ImageInterval::lowest);
            Bytes& part = parts[static_cast<std::size_t>(in - intervals.begin()) - 1];
            auto const record =
                std::span(records).subspan(i * layout_.record_bytes, layout_.record_bytes);
            part.insert(part.end(), record.begin(), record.end());
        }
        std::size_t const first = run.key_ranges.size();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            run.key_ranges.push_back({first + i,
                                      range.id,
                                      model::key_image(intervals[i].lowest),
                                      model::key_image(intervals[i].highest),
                                      parts[i].size() / layout_.record_bytes,
                                      model::digest_of_records(layout_, parts[i]),
                                      std::nullopt,
                                      std::nullopt});
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            sort_range(first + i, parts[i], run);
        }
    }

    RecordLayout layout_;
    model::ExternalMemory memory_;
    model::SampleRule rule_;
    MultisetDigest sum_;
};

/// Random records. \param values maximum number of distinct keys
Bytes random_records(RecordLayout const& layout,
                     std::uint64_t count,
                     std::uint64_t values,
                     std::uint64_t seed) {
    Bytes records(count * layout.record_bytes);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t const value = mix_bits(mix_bits(seed + i) % values);
        for (std::uint32_t byte = 0; byte < layout.record_bytes; ++byte) {
            bool const in_key =
                byte >= layout.key_offset && byte - layout.key_offset < layout.key_bytes;
            std::uint64_t const word = in_key ? mix_bits(value + byte / 8) : mix_bits(i + byte);
            records[i * layout.record_bytes + byte] =
                static_cast<std::byte>(word >> (8 * (byte % 8)));
        }
    }
    return records;
}

/// Records outside the sample have keys that begin with a zero byte, so that their range exceeds
/// the memory.
void mislead(RecordLayout const& layout, std::vector<std::uint64_t> const& drawn, Bytes& records) {
    std::uint32_t const most_significant =
        layout.key_offset + (layout.is_bytes() ? 0 : layout.key_bytes - 1);
    auto next = drawn.begin();
    for (std::uint64_t i = 0; i < records.size() / layout.record_bytes; ++i) {
        while (next != drawn.end() && *next < i) {
            ++next;
        }
        if (next == drawn.end() || *next != i) {
            records[i * layout.record_bytes + most_significant] = std::byte{0};
        }
    }
}

std::optional<RecordLayout> layout_of_run(RecordedRun const& run) {
    ExternalSortRecord const& record = run.external_sorts.front();
    RunHeader const& header = run.header;
    auto const keys = model::layout_of_keys(header.key_type, header.direction);
    RecordLayout const wanted{record.record_bytes,
                              record.key_offset,
                              record.key_bytes,
                              header.key_type,
                              header.direction};
    bool const fits = record.record_bytes > 0 && record.key_bytes > 0 && record.key_bytes <= 16 &&
                      record.key_offset < record.record_bytes &&
                      record.key_bytes <= record.record_bytes - record.key_offset;
    bool const right = fits && (keys.is_bytes() || wanted.key_bytes == keys.key_bytes);
    return right ? std::optional(wanted) : std::nullopt;
}

} // namespace

rc::Gen<RecordedRun> any_external_sort(testing::TemporaryFolder const& folder) {
    return rc::gen::exec([&folder] {
        using rc::gen::inRange;
        RecordedRun run;
        run.header.version = 3;
        run.header.program = "keyswap";
        run.header.algorithm = "external-sort";
        run.header.operation = Operation::external_sort;
        run.header.gpus = {0};
        run.header.virtual_gpus = true;
        run.header.stability = Stability::stable;
        run.header.direction = *rc::gen::element(Direction::ascending, Direction::descending);
        auto const type =
            *rc::gen::element(KeyType::b128, KeyType::b128, KeyType::u64, KeyType::f64);
        auto layout = model::layout_of_keys(type, run.header.direction);
        if (layout.is_bytes()) {
            layout.record_bytes = *inRange(60U, 160U);
            layout.key_bytes = *inRange(1U, 17U);
            layout.key_offset = *inRange(0U, 40U);
        } else if (*rc::gen::arbitrary<bool>()) {
            layout.key_offset = *inRange(0U, 9U);
            layout.record_bytes += layout.key_offset + *inRange(0U, 9U);
        }
        run.header.key_type = layout.key_type;
        std::uint64_t const memory = model::external_memory_min + *inRange(0U, 1000U);
        auto const room = *rc::gen::element<std::uint64_t>(0, 1'100, 2'000, 1'000'000);
        auto const division =
            model::divide_memory(layout, memory, room == 0 ? std::nullopt : std::optional(room))
                .value();
        run.header.key_count = division.records_max * *inRange<std::uint64_t>(1, 12) / 4;
        run.external_sorts = {model::external_sort_record(layout, division)};
        auto const values = *rc::gen::element<std::uint64_t>(1, 3, 1'000, 1'000'000'000);
        auto records = random_records(
            layout, run.header.key_count, values, *rc::gen::arbitrary<std::uint64_t>());
        if (values > 3 && *rc::gen::arbitrary<bool>()) {
            auto const target = model::range_target(division, run.header.key_count);
            mislead(layout, model::sample_positions(target, model::external_sample_seed), records);
        }
        if (*rc::gen::arbitrary<bool>()) {
            run.header.parameters[std::string(model::streamed_parameter)] = 1;
        }
        run.header.input.distribution = "file";
        run.header.input.file = folder / "input.raw";
        std::size_t first_bytes = records.size();
        if (*rc::gen::arbitrary<bool>()) {
            run.header.input.more_files = {folder / "more.raw"};
            first_bytes = *inRange<std::uint64_t>(0, run.header.key_count) * layout.record_bytes;
            write(run.header.input.more_files.front(), std::span(records).subspan(first_bytes));
        }
        write(run.header.input.file, std::span(records).first(first_bytes));
        return run;
    });
}

std::optional<RecordedRun> record_external(RecordedRun const& run) {
    if (run.external_sorts.size() != 1) {
        return std::nullopt;
    }
    auto const layout = layout_of_run(run);
    auto const records = bytes_of_files(run.header.input);
    if (!layout || !records || records->size() != run.header.key_count * layout->record_bytes) {
        return std::nullopt;
    }
    ExternalSortRecord const& given = run.external_sorts.front();
    auto const memory = model::divide_memory(*layout, given.memory_bytes, given.gpu_records_max);
    if (!memory) {
        return std::nullopt;
    }
    RecordedRun genuine;
    genuine.name = "reference";
    genuine.header = run.header;
    genuine.external_sorts = {model::external_sort_record(*layout, *memory)};
    std::uint64_t const seed = run.range_divisions.empty() ? model::external_sample_seed
                                                           : run.range_divisions.front().seed;
    bool const streamed = run.header.parameters.contains(std::string(model::streamed_parameter));
    InMemory sort(*layout, *memory, {seed, streamed});
    sort.sort(*records, genuine);
    genuine.header.input.content = sort.digest();
    genuine.verdicts = {{"sorted", true, ""}, {"permutation", true, ""}};
    return genuine;
}

} // namespace keyswap::proptests
