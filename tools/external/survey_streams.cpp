#include "model/external/stream_sample.hpp"
#include "tools/external/external_run.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <memory>

namespace keyswap::tools {

namespace {

/// Reads an input's records sequentially.
class InputReader {
  public:
    [[nodiscard]] static Expected<InputReader> open(ExternalRun const& run,
                                                    ExternalInput const& input) {
        InputReader reader(run, input);
        if (input.open_stream) {
            KEYSWAP_TRY(reader.stream_, input.open_stream());
        } else {
            KEYSWAP_TRY(reader.file_,
                        StoredFile::open(run.storage, input.identity.path, StoredFile::Use::read));
        }
        return reader;
    }

    /// \return the records, as a part of the buffer; empty at the end
    [[nodiscard]] Expected<std::span<std::byte>> read(std::span<std::byte> buffer) {
        std::uint64_t const size = run_->job.layout.record_bytes;
        if (stream_) {
            KEYSWAP_TRY(std::size_t const count, stream_->read(buffer));
            return buffer.first(count * size);
        }
        std::uint64_t const offset = input_->offset + next_ * size;
        std::uint64_t const count =
            std::min(run_->memory.block_bytes / size, input_->record_count - next_);
        auto const records = StoredFile::place_for(offset, buffer, count * size);
        KEYSWAP_RETURN_IF_ERROR(file_->read(offset, records));
        next_ += count;
        return records;
    }

  private:
    InputReader(ExternalRun const& run, ExternalInput const& input) : run_(&run), input_(&input) {}

    ExternalRun const* run_;
    ExternalInput const* input_;
    std::shared_ptr<StoredFile> file_;
    std::unique_ptr<model::RecordStream> stream_;
    std::uint64_t next_ = 0;
};

} // namespace

Expected<void> survey_streams(ExternalRun& run) {
    run.arena.clear();
    std::uint64_t const draws_max = model::stream_draws_max(run.memory);
    auto const room = run.arena.take_aligned(draws_max * sizeof(model::StreamDraw));
    auto* const draws = reinterpret_cast<model::StreamDraw*>(room.data());
    std::uninitialized_default_construct_n(draws, draws_max);
    model::StreamSample sample({draws, draws_max}, model::external_sample_seed);
    auto const buffer = run.arena.take_movable(run.memory.block_bytes);
    std::uint64_t const size = run.job.layout.record_bytes;
    for (ExternalInput& input : run.job.inputs) {
        std::uint64_t const before = sample.record_count();
        KEYSWAP_TRY(auto reader, InputReader::open(run, input));
        while (true) {
            KEYSWAP_RETURN_IF_ERROR(run.poll());
            KEYSWAP_TRY(auto const records, reader.read(buffer));
            if (records.empty()) {
                break;
            }
            model::with_image_reader(run.job.layout, [&](auto const& read) {
                for (std::size_t at = 0; at < records.size(); at += size) {
                    sample.add([&]() -> model::uint128 { return read(records.data() + at); });
                }
            });
            run.count_moved(records.size());
            run.result.read_bytes += records.size();
        }
        input.record_count = sample.record_count() - before;
    }
    auto const whole = model::whole_input(run.job.layout, sample.record_count());
    if (whole.count > run.memory.records_max) {
        run.stream_sample = sample.images(run.sample_rule().draws(run.memory, whole));
    }
    return {};
}

} // namespace keyswap::tools
