#include "tools/ranks/rank_run.hpp"

#include "model/key_files/npy_header.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/key_text.hpp"
#include "model/ranks/agreement.hpp"
#include "model/ranks/even_shares.hpp"
#include "model/ranks/rank_files.hpp"
#include "model/ranks/shares_sort.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "tools/build/build_info.hpp"
#include "tools/options/gpu_list.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/ranks/rank_share.hpp"
#include "tools/ranks/shared_file.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/trace_writer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace keyswap::tools {

namespace {

/// Format of an output. \param name value of --output-format; nullopt: from the file's name
Expected<model::KeyFileFormat> format_to_write(std::string const& path,
                                               std::optional<std::string> const& name) {
    KEYSWAP_TRY(auto const given, model::parse_key_file_format(name.value_or("auto")));
    return model::format_to_write(path, given);
}

/// One rank at work.
template <class Image, class Value>
class RankJob {
  public:
    /// \param shares [rank] input range that each rank reads
    RankJob(model::Communicator& ranks,
            SortRequest request,
            std::vector<model::IndexRange> shares,
            SortFiles const& files,
            RankOpener const& open)
        : ranks_(ranks), request_(std::move(request)), shares_(std::move(shares)), files_(files),
          open_(open) {}

    /// \return the result, on every rank
    Expected<RankAccount> run() {
        auto share = load_share<Image, Value>(request_, ranks_.rank(), shares_[ranks_.rank()]);
        KEYSWAP_RETURN_IF_ERROR(model::agree(ranks_, "reading the input", share));
        KEYSWAP_TRY(auto sorted,
                    open_ ? sort_on_gpu<Image, Value>(
                                ranks_,
                                open_,
                                request_,
                                shares_,
                                std::move(*share),
                                [this](MultisetDigest const& content) {
                                    content_ = content;
                                    return open_record();
                                },
                                [this](RunHeader& header) { complete(header); })
                          : sort_in_host_memory(std::move(*share)));
        RankAccount& account = sorted.account;
        account.seconds = std::ranges::max(model::all_gather(ranks_, "account", account.seconds));
        KEYSWAP_RETURN_IF_ERROR(end_record(account.verdicts));
        if (!account.holds()) {
            return account; // a wrong file is worse than none
        }
        auto const own = account.owned.begin() + ranks_.rank();
        std::uint64_t const base = std::reduce(account.owned.begin(), own);
        KEYSWAP_RETURN_IF_ERROR(write_outputs(std::move(sorted.keys), base));
        return account;
    }

    [[nodiscard]] SortRequest const& request() const { return request_; }

  private:
    Expected<RankSorted<Image, Value>> sort_in_host_memory(model::RankKeys<Image, Value> share) {
        KEYSWAP_TRY(
            auto sorted,
            model::sort_shares(ranks_,
                               *request_.algorithm,
                               request_.config,
                               shares_,
                               std::move(share),
                               [this](model::SortPlan const& plan, MultisetDigest const& content) {
                                   content_ = content;
                                   return begin_record(plan);
                               }));
        RankAccount account;
        account.passes = static_cast<std::uint64_t>(sorted.plan->buckets()->pass_count());
        account.content = sorted.content;
        account.verdicts = std::move(sorted.verdicts);
        account.seconds = sorted.seconds;
        for (OwnershipRecord const& owner : sorted.plan->ownership()) {
            account.owned.push_back(owner.count);
        }
        return RankSorted<Image, Value>{std::move(sorted.owned), std::move(account)};
    }

    Expected<TraceSink*> begin_record(model::SortPlan const& plan) {
        auto const sink = open_record();
        if (!sink || *sink == nullptr) {
            return sink;
        }
        RunHeader header = model::header_of(request_.config, request_.algorithm->name);
        header.version = plan.trace_version();
        complete(header);
        if (header.version > 1) {
            header.layout = plan.layout();
        }
        records_->write(header);
        plan.record(*records_);
        return sink;
    }

    /// \return null if no trace is recorded
    Expected<TraceSink*> open_record() {
        if (!files_.record) {
            return nullptr;
        }
        KEYSWAP_TRY(auto writer,
                    TraceWriter::create(model::file_of_rank(*files_.record, ranks_.rank())));
        trace_.emplace(std::move(writer));
        records_.emplace(*trace_, GpuId{ranks_.rank()});
        return &*records_;
    }

    void complete(RunHeader& header) const { set_program_and_input(header, request_, content_); }

    Expected<void> end_record(std::vector<VerdictRecord> const& verdicts) {
        if (!files_.record) {
            return {};
        }
        for (VerdictRecord const& verdict : verdicts) {
            records_->write(verdict);
        }
        return model::agree(ranks_, "writing the traces", trace_->finish());
    }

    Expected<void> write_outputs(model::RankKeys<Image, Value> owned, std::uint64_t base) {
        if (files_.output) {
            model::to_keys(
                request_.config.key_type, request_.config.direction, std::span<Image>(owned.keys));
            KEYSWAP_RETURN_IF_ERROR(write_array(*files_.output,
                                                files_.output_format,
                                                request_.config.key_type,
                                                std::as_writable_bytes(std::span(owned.keys)),
                                                base));
        }
        if (files_.output_values) {
            KeyType const width = sizeof(Value) == 4 ? KeyType::u32 : KeyType::u64;
            return write_array(*files_.output_values,
                               std::nullopt,
                               width,
                               std::as_writable_bytes(std::span(owned.values)),
                               base);
        }
        return {};
    }

    /// \param format_name value of --output-format; nullopt: from the file's name
    /// \param bytes elements in the host's byte order; may be converted in place to the file's
    /// \param base index of the rank's first element in the whole output
    Expected<void> write_array(std::string const& path,
                               std::optional<std::string> const& format_name,
                               KeyType type,
                               std::span<std::byte> bytes,
                               std::uint64_t base) {
        KEYSWAP_TRY(auto const format, format_to_write(path, format_name));
        if (model::is_one_file_a_rank(path)) {
            return write_own(path, format, type, bytes);
        }
        return write_shared(path, format, type, bytes, base);
    }

    /// Each rank writes a file of its own; all appear only if all ranks succeeded.
    Expected<void> write_own(std::string const& path,
                             model::KeyFileFormat format,
                             KeyType type,
                             std::span<std::byte const> bytes) {
        auto writer =
            model::create_key_file(model::file_of_rank(path, ranks_.rank()), format, type);
        Expected<void> const own =
            writer ? (*writer)->write(bytes) : Expected<void>(tl::unexpected(writer.error()));
        KEYSWAP_RETURN_IF_ERROR(model::agree(ranks_, "writing the output", own));
        return model::agree(ranks_, "naming the output", (*writer)->finish());
    }

    Expected<void> write_shared(std::string const& path,
                                model::KeyFileFormat format,
                                KeyType type,
                                std::span<std::byte> bytes,
                                std::uint64_t base) {
        std::string text; ///< rows; or the header, on the first rank
        std::uint64_t offset = base * key_size_bytes(type);
        if (format == model::KeyFileFormat::csv) {
            for (std::size_t at = 0; at < bytes.size(); at += key_size_bytes(type)) {
                model::append_key(text, type, bytes.subspan(at, key_size_bytes(type)));
                text += '\n';
            }
            bytes = std::as_writable_bytes(std::span(text));
            offset = 0;
            auto const sizes =
                model::all_gather(ranks_, "sizes of the output", std::uint64_t{text.size()});
            for (std::uint32_t rank = 0; rank < ranks_.rank(); ++rank) {
                offset += sizes[rank];
            }
        } else if (model::is_big_endian_in_files(type)) {
            model::swap_key_bytes(type, bytes);
        }
        KEYSWAP_TRY(auto file, SharedFile::create(ranks_, path));
        Expected<void> own;
        if (format == model::KeyFileFormat::npy) {
            std::string const header = model::npy_header_text({type, request_.config.key_count});
            offset += header.size();
            own = ranks_.rank() == 0 ? file.write_at(0, header) : own;
        }
        if (own) {
            own =
                file.write_at(offset, {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
        }
        KEYSWAP_RETURN_IF_ERROR(model::agree(ranks_, "writing the output", own));
        return file.commit(ranks_);
    }

    model::Communicator& ranks_;
    SortRequest request_;
    std::vector<model::IndexRange> shares_;
    SortFiles const& files_;
    RankOpener const& open_;
    MultisetDigest content_; ///< over all ranks' keys
    std::optional<TraceWriter> trace_;
    std::optional<model::RankRecords> records_;
};

template <class Image, class Value>
Expected<ExitCode> run_rank_as(model::Communicator& ranks,
                               SortRequest const& request,
                               std::vector<model::IndexRange> const& shares,
                               SortFiles const& files,
                               RankReporter const& report,
                               RankOpener const& open) {
    RankJob<Image, Value> job(ranks, request, shares, files, open);
    KEYSWAP_TRY(auto const account, job.run());
    if (ranks.rank() == 0) {
        report(job.request(), account);
    }
    return account.holds() ? ExitCode::fine : ExitCode::violation;
}

/// Program, request and files in one line; must be equal on all ranks.
std::string start_text(SortRequest const& request, SortFiles const& files, RankOpener const& open) {
    std::string text = "keyswap " + std::string(build_version()) + " (" +
                       std::string(build_commit()) + "): " + config_json(request).dump() +
                       (open ? ", on GPUs" : ", in host memory");
    for (auto const& [what, name] : {std::pair{", output ", &files.output},
                                     std::pair{", output format ", &files.output_format},
                                     std::pair{", output of values ", &files.output_values},
                                     std::pair{", record ", &files.record}}) {
        text += what + name->value_or("none");
    }
    return text;
}

/// Input range that each rank reads: its own file, or its chunk.
std::vector<model::IndexRange> shares_of(model::Communicator& ranks, SortRequest const& request) {
    if (request.file && model::is_one_file_a_rank(*request.file)) {
        return model::ranges_of(model::all_gather(ranks, "shares", request.config.key_count));
    }
    return model::ranges_of(model::Chunks(request.config.key_count, ranks.size()));
}

Expected<ExitCode> run_steps(model::Communicator& ranks,
                             SortRequest request,
                             SortFiles const& files,
                             RankReporter const& report,
                             RankOpener const& open) {
    request.config.gpu_count = ranks.size();
    KEYSWAP_RETURN_IF_ERROR(
        model::expect_same_start(ranks, "start", start_text(request, files, open)));
    auto const validated = [&] { return model::validated(request.config).map([](auto const&) {}); };
    auto ready = count_keys(request, ranks.rank()).and_then(validated);
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "reading the input's size", ready));
    auto const shares = shares_of(ranks, request);
    request.config.key_count = shares.back().end;
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "adding up the input's keys", validated()));
    // Equally named files may differ between machines.
    KEYSWAP_RETURN_IF_ERROR(
        model::expect_same_start(ranks, "comparing inputs", start_text(request, files, open)));
    auto const with_image = [&]<class Image>(Image) {
        switch (request.config.value_type) {
        case ValueType::none:
            return run_rank_as<Image, model::NoValue>(ranks, request, shares, files, report, open);
        case ValueType::bits32:
            return run_rank_as<Image, std::uint32_t>(ranks, request, shares, files, report, open);
        case ValueType::bits64:
            break;
        }
        return run_rank_as<Image, std::uint64_t>(ranks, request, shares, files, report, open);
    };
    return model::with_image_type(request.config.key_type, with_image);
}

/// One GPU per rank; virtual GPUs if a single device is given.
Expected<std::vector<int>> devices_of_threads(BackendChoice const& choice, std::uint32_t count) {
    KEYSWAP_TRY(auto const found, cuda::device_count());
    auto const devices = choose_devices(choice.gpus, count, static_cast<std::uint32_t>(found));
    if (devices || choice.gpus) {
        return devices.map_error([&](InputError const& error) {
            bool const is_list =
                parse_gpu_list(*choice.gpus, "--gpus", static_cast<std::uint32_t>(found))
                    .has_value();
            return is_list ? InputError{"--ranks and --gpus",
                                        "give different numbers of GPUs",
                                        "name one device a rank, or one for all of them"}
                           : error;
        });
    }
    return input_error("--ranks " + std::to_string(count),
                       "this machine has " + std::to_string(found) + " GPUs",
                       "start fewer ranks, or name one GPU for all: --gpus 0");
}

Expected<void> check_conflicts(SortRequest const& request, SortFiles const& files) {
    if (!model::ranks_can_sort(*request.algorithm)) {
        return input_error("--ranks",
                           std::string(request.algorithm->name) +
                               " cannot be carried out by ranks, since it exchanges no buckets",
                           "give --algorithm rmg or sample-sort");
    }
    if (request.config.zero_order == ZeroOrder::equal) {
        return input_error("--ranks and --zero-order equal",
                           "ranks cannot keep each zero's sign",
                           "leave one of them out");
    }
    if (request.file && is_standard_input(*request.file)) {
        return input_error("--ranks and '-'",
                           "standard input cannot be shared among ranks",
                           "write the keys to a file that every rank can read");
    }
    if (files.output) {
        KEYSWAP_RETURN_IF_ERROR(format_to_write(*files.output, files.output_format));
    }
    if (files.output_values) {
        KEYSWAP_RETURN_IF_ERROR(format_to_write(*files.output_values, std::nullopt));
    }
    if (files.record && !model::is_one_file_a_rank(*files.record)) {
        return input_error("--record",
                           "each rank writes a trace of its own",
                           "give a name with {rank} in it, for instance run-{rank}.trace");
    }
    return {};
}

} // namespace

RankWork rank_work(SortRequest const& request,
                   SortFiles const& files,
                   RankReporter const& report,
                   RankOpener const& open) {
    return
        [=](model::Communicator& ranks) { return run_steps(ranks, request, files, report, open); };
}

Expected<ExitCode> sort_by_ranks(SortRequest const& request,
                                 BackendChoice const& choice,
                                 SortFiles const& files,
                                 RankReporter const& report) {
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(request, files));
    RankOpener open;
    if (choice.is_cuda() && choice.is_mpi()) {
        open = open_gpu_of_process(choice);
    } else if (choice.is_cuda()) {
        KEYSWAP_TRY(auto const count, thread_count(choice));
        KEYSWAP_TRY(auto const devices, devices_of_threads(choice, count));
        KEYSWAP_TRY(open, open_gpus_of_threads(devices, choice.rank_patience()));
    }
    return run_ranks(choice, rank_work(request, files, report, open));
}

} // namespace keyswap::tools
