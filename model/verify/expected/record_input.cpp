#include "model/verify/expected/record_input.hpp"

#include "model/external/record_stream.hpp"
#include "model/key_files/key_file.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace keyswap::model::verify {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// True if records are plain keys, which a key file reader can read.
bool are_keys(RunHeader const& header, RecordLayout const& layout) {
    return layout == layout_of_keys(header.key_type, header.direction);
}

/// The input files in input order.
std::vector<std::string> input_files(RunHeader const& header) {
    std::vector<std::string> files{header.input.file};
    files.insert(files.end(), header.input.more_files.begin(), header.input.more_files.end());
    return files;
}

class RecordFiles final : public RecordSource {
  public:
    RecordFiles(RunHeader const& header, RecordLayout const& layout)
        : header_(header), layout_(layout), files_(input_files(header)), written_(written()) {}

    [[nodiscard]] Expected<void> sweep(Take const& take) override {
        std::uint64_t count = 0;
        for (std::string const& file : files_) {
            KEYSWAP_RETURN_IF_ERROR(sweep_file(file, count, take));
        }
        std::vector<fs::file_time_type> const now = written();
        for (std::size_t i = 0; i < files_.size(); ++i) {
            if (now[i] != written_[i]) {
                return input_error(files_[i],
                                   "changed while it was being read",
                                   "verify again when nothing is writing to it");
            }
        }
        if (count != header_.key_count) {
            return tl::unexpected(key_count_mismatch(
                header_,
                count < header_.key_count ? std::to_string(count)
                                          : "more than " + std::to_string(header_.key_count)));
        }
        return {};
    }

  private:
    /// \param count records of all files so far; reads at most as many as the header has
    Expected<void> sweep_file(std::string const& file, std::uint64_t& count, Take const& take) {
        KEYSWAP_TRY(auto const reader, open(file));
        std::size_t const size = layout_.record_bytes;
        std::vector<std::byte> block(std::max(block_bytes / size, std::size_t{1}) * size);
        while (count <= header_.key_count) {
            KEYSWAP_TRY(std::size_t const read, reader->read(block));
            count += read;
            if (read == 0 || count > header_.key_count) {
                break;
            }
            take(std::span(block).first(read * size));
        }
        return {};
    }
    [[nodiscard]] Expected<std::unique_ptr<RecordStream>> open(std::string const& file) const {
        if (are_keys(header_, layout_)) {
            return open_input(file, header_).map(stream_of_keys);
        }
        return open_record_stream(file, layout_);
    }
    [[nodiscard]] std::vector<fs::file_time_type> written() const {
        std::vector<fs::file_time_type> times;
        for (std::string const& file : files_) {
            std::error_code error;
            times.push_back(fs::last_write_time(file, error));
        }
        return times;
    }

    RunHeader header_;
    RecordLayout layout_;
    std::vector<std::string> files_;
    std::vector<fs::file_time_type> written_; ///< [files]
};

/// Number of records of a file, from its size; nullopt for a stream.
Expected<std::optional<std::uint64_t>>
stored_records(std::string const& file, RunHeader const& header, RecordLayout const& layout) {
    if (are_keys(header, layout)) {
        KEYSWAP_TRY(auto const reader, open_input(file, header));
        return reader->key_count();
    }
    KEYSWAP_TRY(bool const is_stream, needs_record_stream(file));
    std::error_code error;
    std::uint64_t const size = fs::file_size(file, error);
    if (is_stream || error) {
        return std::nullopt;
    }
    if (size % layout.record_bytes != 0) {
        return tl::unexpected(
            key_count_mismatch(header, std::to_string(size / layout.record_bytes)));
    }
    return size / layout.record_bytes;
}

} // namespace

Expected<InputLookup<RecordSource>>
find_records(RunHeader const& header, RecordLayout const& layout, VerifyLimits const& limits) {
    using Lookup = InputLookup<RecordSource>;
    std::error_code error;
    if (limits.records_only) {
        return Lookup{nullptr, records_only_reason()};
    }
    if (header.input.distribution != "file") {
        return Lookup{nullptr, "the trace does not name the file that was sorted"};
    }
    std::optional<std::uint64_t> count = 0; // nullopt: some files are streams
    for (std::string const& file : input_files(header)) {
        if (!fs::is_regular_file(file, error)) {
            return Lookup{nullptr, "the file of keys " + file + " is not there"};
        }
        KEYSWAP_TRY(auto const stored, stored_records(file, header, layout));
        count = count && stored ? std::optional(*count + *stored) : std::nullopt;
    }
    if (count && *count != header.key_count) {
        return tl::unexpected(key_count_mismatch(header, std::to_string(*count)));
    }
    return Lookup{std::make_unique<RecordFiles>(header, layout), {}};
}

} // namespace keyswap::model::verify
