#include "tools/external/files/manifest.hpp"

#include "tools/text/json.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/trace_line.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

namespace keyswap::tools {

namespace {

constexpr int manifest_format = 3;
constexpr int record_version = 3; ///< version of the trace format, for records

Json image_json(model::uint128 image) {
    KeyImage const words = model::key_image(image);
    return Json{words.high, words.low};
}

model::uint128 image_of_json(Json const& json) {
    return model::wide({json.at(0).get<std::uint64_t>(), json.at(1).get<std::uint64_t>()});
}

Json range_json(RangeState const& range) {
    Json json{{"id", range.id},
              {"lowest", image_json(range.images.lowest)},
              {"highest", image_json(range.images.highest)},
              {"count", range.count},
              {"placed", range.is_placed}};
    if (range.parent) {
        json["parent"] = *range.parent;
    }
    if (range.owner != 0) {
        json["owner"] = range.owner;
    }
    if (range.is_placed) {
        json["place"] = range.place;
        json["written"] = {range.written.count, range.written.low, range.written.high};
    }
    if (range.digest) {
        json["digest"] = {range.digest->count, range.digest->low, range.digest->high};
    }
    return json;
}

RangeState range_of_json(Json const& json) {
    RangeState range;
    range.id = json.at("id").get<std::uint64_t>();
    range.images = {image_of_json(json.at("lowest")), image_of_json(json.at("highest"))};
    range.count = json.at("count").get<std::uint64_t>();
    range.is_placed = json.at("placed").get<bool>();
    auto const digest_at = [&json](char const* name) {
        auto const words = json.at(name).get<std::array<std::uint64_t, 3>>();
        return MultisetDigest{words[0], words[1], words[2]};
    };
    if (json.contains("digest")) {
        range.digest = digest_at("digest");
    }
    if (json.contains("parent")) {
        range.parent = json.at("parent").get<std::uint64_t>();
    }
    range.owner = json.value("owner", std::uint32_t{0});
    if (range.is_placed) {
        range.place = json.at("place").get<std::uint64_t>();
        range.written = digest_at("written");
    }
    return range;
}

Json ranges_json(std::vector<RangeState> const& ranges) {
    return json_array(ranges, range_json);
}

std::vector<RangeState> ranges_of_json(Json const& json) {
    std::vector<RangeState> ranges;
    for (Json const& range : json) {
        ranges.push_back(range_of_json(range));
    }
    return ranges;
}

Json records_json(std::vector<TraceRecord> const& records) {
    Json json = Json::array();
    for (TraceRecord const& record : records) {
        std::string line = encode_line(record, record_version);
        line.pop_back();
        json.push_back(line);
    }
    return json;
}

Expected<std::vector<TraceRecord>> records_of_json(Json const& json) {
    std::vector<TraceRecord> records;
    for (Json const& line : json) {
        KEYSWAP_TRY(auto const record, decode_line(line.get<std::string>(), record_version));
        records.push_back(std::get<TraceRecord>(record));
    }
    return records;
}

/// A field of the inputs: the value itself for one input, else a list.
template <class T>
Json of_inputs(ExternalJob const& job, T FileIdentity::*member) {
    Json list =
        json_array(job.inputs, [&](ExternalInput const& input) { return input.identity.*member; });
    return list.size() == 1 ? list.front() : list;
}

/// Offset and record count of each input; "stream" for a stream.
Json places_of_inputs(ExternalJob const& job) {
    return json_array(job.inputs, [](ExternalInput const& input) {
        return input.open_stream ? Json("stream") : Json{input.offset, input.record_count};
    });
}

/// Names of the outputs, and the header size in bytes.
Json outputs_json(ExternalJob const& job) {
    Json list = Json::array();
    for (std::filesystem::path const& output : job.outputs) {
        list.push_back(output.string());
    }
    if (job.header) {
        list.push_back(job.header(0).size());
    }
    return list.size() == 1 ? list.front() : list;
}

constexpr auto bad_letters = Json::error_handler_t::replace; ///< for names in invalid UTF-8

/// Everything that must be equal for a sort to continue, under names used in error messages.
Json job_json(ExternalJob const& job) {
    Json const json{{"version of keyswap", job.program},
                    {"input", of_inputs(job, &FileIdentity::path)},
                    {"size of the input", of_inputs(job, &FileIdentity::size_bytes)},
                    {"time of the input", of_inputs(job, &FileIdentity::modified_ns)},
                    {"inode of the input", of_inputs(job, &FileIdentity::inode)},
                    {"records", to_string(job.layout)},
                    {"direction", to_string(job.layout.direction)},
                    {"place of the records", places_of_inputs(job)},
                    {"memory", job.memory_bytes},
                    {"engine", job.engine->name()},
                    {"memory on the GPUs", job.gpu_records_max.value_or(0)},
                    {"number of ranks", job.rank_count},
                    {"output", outputs_json(job)}};
    return Json::parse(json.dump(-1, ' ', false, bad_letters)); // as parsed from a file
}

tl::unexpected<InputError> refused(ExternalJob const& job, std::string problem) {
    return input_error(job.scratch.string(),
                       std::move(problem),
                       "remove that folder to start anew, or give another --scratch");
}

/// True for fields that only reveal that a file was replaced or rewritten.
bool identifies_version(std::string_view name) {
    return name == "time of the input" || name == "inode of the input";
}

/// \return an error that names the first difference
Expected<void> expect_same(ExternalJob const& job, Json const& stored) {
    Json const wanted = job_json(job);
    for (auto const& [name, value] : wanted.items()) {
        if (!stored.contains(name) || stored.at(name) != value) {
            if (identifies_version(name)) {
                return refused(job,
                               "holds an interrupted sort of the input before that was written "
                               "again or replaced");
            }
            std::string const was = stored.contains(name) ? stored.at(name).dump() : "missing";
            return refused(job,
                           "holds an interrupted sort with another " + name + ": " + was +
                               " instead of " + value.dump());
        }
    }
    return {};
}

/// Content of the manifest file; nullopt if there is none.
std::optional<std::string> stored(ExternalJob const& job) {
    std::ifstream file(job.manifest(), std::ios::binary);
    if (!file) {
        return std::nullopt;
    }
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Value at a JSON pointer in the manifest; null if it or the manifest is missing or invalid.
Json stored_value(ExternalJob const& job, std::string const& pointer) {
    auto const json = Json::parse(stored(job).value_or(""), nullptr, false);
    return json.is_object() ? json.value(Json::json_pointer(pointer), Json()) : Json();
}

std::optional<std::uint64_t> stored_count(ExternalJob const& job, std::string const& pointer) {
    Json const count = stored_value(job, pointer);
    return count.is_number_unsigned() ? std::optional(count.get<std::uint64_t>()) : std::nullopt;
}

} // namespace

std::string job_text(ExternalJob const& job) {
    return job_json(job).dump() + ", scratch " + job.scratch.string();
}

KeyRangeRecord RangeState::record() const {
    KeyRangeRecord record{id,
                          parent,
                          model::key_image(images.lowest),
                          model::key_image(images.highest),
                          count,
                          digest,
                          std::nullopt,
                          std::nullopt};
    if (is_placed) {
        record.place = place;
        record.output = written;
    }
    return record;
}

std::uint64_t ExternalJob::record_count() const {
    std::uint64_t count = 0;
    for (ExternalInput const& input : inputs) {
        count += input.record_count;
    }
    return count;
}

bool ExternalJob::is_streamed() const {
    return std::ranges::any_of(
        inputs, [](ExternalInput const& input) { return static_cast<bool>(input.open_stream); });
}

std::filesystem::path ExternalJob::partial(std::size_t output) const {
    auto const text = scratch.string();
    auto const crc = ::crc32_z(0, reinterpret_cast<Bytef const*>(text.data()), text.size());
    return outputs.at(output).string() + ".keyswap-" + std::to_string(crc);
}

Manifest Manifest::first(ExternalJob const& job) {
    Manifest manifest;
    for (ExternalInput const& input : job.inputs) {
        manifest.input_counts.push_back(input.record_count);
    }
    manifest.ranges.push_back({0,
                               {0, model::largest_image_of_bits(job.layout.image_bits())},
                               job.record_count(),
                               std::nullopt,
                               false,
                               std::nullopt,
                               0,
                               {},
                               0});
    return manifest;
}

Expected<std::optional<Manifest>> Manifest::load(ExternalJob const& job) {
    auto const text = stored(job);
    if (!text) {
        return std::nullopt;
    }
    return parse(job, *text).map([](Manifest const& manifest) { return std::optional(manifest); });
}

Expected<Manifest> Manifest::parse(ExternalJob const& job, std::string const& text) {
    Json const json = Json::parse(text, nullptr, false);
    try {
        if (json.is_discarded() || json.at("format") != manifest_format) {
            return refused(job, "has a manifest that is damaged, or of another version of keyswap");
        }
        KEYSWAP_RETURN_IF_ERROR(expect_same(job, json.at("job")));
        Manifest manifest;
        manifest.ranges = ranges_of_json(json.at("ranges"));
        manifest.next_id = json.at("next_id").get<std::uint64_t>();
        manifest.oversized_records = json.at("oversized_records").get<std::uint64_t>();
        auto records = records_of_json(json.at("records"));
        if (!records) {
            return refused(job, "has a manifest that is damaged");
        }
        manifest.records = std::move(*records);
        if (json.contains("split")) {
            Json const& split = json.at("split");
            manifest.split = SplitState{split.at("index").get<std::size_t>(),
                                        split.at("consumed").get<std::uint64_t>(),
                                        ranges_of_json(split.at("children"))};
        }
        manifest.input_counts = json.at("input_counts").get<std::vector<std::uint64_t>>();
        manifest.output_inodes = json.at("output_inodes").get<std::vector<std::uint64_t>>();
        std::uint64_t count = 0;
        for (RangeState const& range : manifest.ranges) {
            count += range.count;
        }
        auto const& counts = manifest.input_counts;
        bool const has_outputs = !manifest.output_inodes.empty();
        if (counts.size() != job.inputs.size() ||
            count != std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) ||
            (has_outputs && manifest.output_inodes.size() != job.outputs.size()) ||
            (manifest.split && manifest.split->index >= manifest.ranges.size())) {
            return refused(job, "has a manifest that contradicts itself");
        }
        return manifest;
    } catch (Json::exception const&) {
        return refused(job, "has a manifest that is damaged");
    }
}

std::optional<std::uint64_t> Manifest::memory_bytes(ExternalJob const& job) {
    return stored_count(job, "/job/memory");
}

std::optional<std::uint64_t> Manifest::gpu_records_max(ExternalJob const& job) {
    auto const count = stored_count(job, "/job/memory on the GPUs");
    return count != 0 ? count : std::nullopt;
}

bool Manifest::has_completed(ExternalJob const& job, std::size_t output) {
    Json const inode = stored_value(job, "/output_inodes/" + std::to_string(output));
    auto const found = identity_of(job.outputs.at(output));
    return found && inode == found->inode;
}

std::string Manifest::text(ExternalJob const& job) const {
    Json json{{"format", manifest_format},
              {"job", job_json(job)},
              {"next_id", next_id},
              {"oversized_records", oversized_records},
              {"input_counts", input_counts},
              {"output_inodes", output_inodes},
              {"records", records_json(records)},
              {"ranges", ranges_json(ranges)}};
    if (split) {
        json["split"] = {{"index", split->index},
                         {"consumed", split->consumed},
                         {"children", ranges_json(split->children)}};
    }
    return json.dump() + "\n";
}

Expected<void> Manifest::save(ExternalJob const& job, Storage& storage) const {
    std::string const text = this->text(job);
    std::filesystem::path const temporary = job.manifest().string() + ".new";
    {
        KEYSWAP_TRY(auto const file, StoredFile::open(storage, temporary, StoredFile::Use::create));
        KEYSWAP_RETURN_IF_ERROR(file->write(0, std::as_bytes(std::span(text))));
        KEYSWAP_RETURN_IF_ERROR(file->sync());
    }
    int const error = storage.rename(temporary, job.manifest(), Existing::replace);
    if (error != 0) {
        return input_error(job.manifest().string(),
                           std::string("cannot be written: ") + std::strerror(error),
                           "check the disk, then run the same command again");
    }
    return StoredFile::sync_folder(storage, job.scratch);
}

} // namespace keyswap::tools
