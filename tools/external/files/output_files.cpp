#include "tools/external/files/output_files.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>

namespace keyswap::tools {

OutputFiles::OutputFiles(ExternalRun& run) : run_(&run) {
    std::uint64_t const records = run.job.record_count();
    std::size_t const parts = run.job.outputs.size();
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < parts; ++i) {
        std::uint64_t const more = i < records % parts ? 1 : 0;
        std::uint64_t const count = records / parts + more;
        parts_.push_back({run.job.header ? run.job.header(count) : "", begin + count, false});
        begin += count;
    }
}

Expected<OutputFiles> OutputFiles::open(ExternalRun& run) {
    OutputFiles files(run);
    auto const made = !run.manifest.output_inodes.empty() ? files.reopen_existing()
                      : run.team.is_first()               ? files.make()
                                                          : Expected<void>{};
    KEYSWAP_RETURN_IF_ERROR(run.team.agree("making the output", made));
    if (!run.team.is_single_process()) {
        run.manifest.output_inodes = run.team.values_of(
            0, "making the output", run.manifest.output_inodes, run.job.outputs.size());
        KEYSWAP_RETURN_IF_ERROR(run.team.agree("opening the output", files.reopen_existing()));
    }
    return files;
}

std::uint64_t OutputFiles::size_bytes(std::size_t output) const {
    Part const& part = parts_[output];
    return part.header.size() + (part.end - begin_of(output)) * run_->job.layout.record_bytes;
}

Expected<void> OutputFiles::make() {
    std::vector<std::uint64_t> inodes;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        auto const path = run_->job.partial(i);
        run_->storage.remove(path); // left by a sort whose scratch folder was removed
        KEYSWAP_TRY(auto const file,
                    StoredFile::open(run_->storage, path, StoredFile::Use::create));
        KEYSWAP_RETURN_IF_ERROR(file->resize(size_bytes(i)));
        KEYSWAP_RETURN_IF_ERROR(file->write(0, std::as_bytes(std::span(parts_[i].header))));
        KEYSWAP_RETURN_IF_ERROR(file->sync());
        KEYSWAP_TRY(auto const identity, identity_of(path));
        inodes.push_back(identity.inode);
    }
    run_->manifest.output_inodes = std::move(inodes);
    return run_->save_own_manifest();
}

Expected<void> OutputFiles::reopen_existing() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        auto const is_made = [&](std::filesystem::path const& path) {
            auto const found = identity_of(path);
            return found && found->inode == run_->manifest.output_inodes[i] &&
                   found->size_bytes == size_bytes(i);
        };
        auto const path = run_->job.partial(i);
        parts_[i].is_named = !is_made(path) && is_made(run_->job.outputs[i]);
        if (!parts_[i].is_named && !is_made(path)) {
            return tl::unexpected(damaged_file(run_->job,
                                               path,
                                               "is missing, or is not the file of " +
                                                   grouped_count(size_bytes(i)) +
                                                   " bytes that was made there"));
        }
    }
    return {};
}

OutputFiles::Place OutputFiles::find(std::uint64_t record) const {
    auto const part = std::ranges::upper_bound(parts_, record, {}, &Part::end);
    KEYSWAP_EXPECTS(part != parts_.end());
    auto const output = static_cast<std::size_t>(part - parts_.begin());
    return {output,
            part->header.size() + (record - begin_of(output)) * run_->job.layout.record_bytes,
            part->end - record};
}

Expected<std::shared_ptr<StoredFile>> OutputFiles::file(std::size_t output) {
    if (!file_ || open_ != output) {
        KEYSWAP_RETURN_IF_ERROR(sync());
        KEYSWAP_TRY(
            file_,
            StoredFile::open(run_->storage, run_->job.partial(output), StoredFile::Use::share));
        open_ = output;
    }
    return file_;
}

Expected<void> OutputFiles::sync() {
    return file_ ? file_->sync() : Expected<void>{};
}

Expected<void> OutputFiles::name(std::size_t output) {
    ExternalJob const& job = run_->job;
    int const error = run_->storage.rename(job.partial(output), job.outputs[output], job.existing);
    if (error == EEXIST) {
        return tl::unexpected(file_exists_error(job.outputs[output]));
    }
    if (error != 0) {
        return input_error(job.outputs[output].string(),
                           std::string("cannot be named: ") + std::strerror(error),
                           "check the disk, then run the same command again");
    }
    parts_[output].is_named = true;
    return {};
}

Expected<void> OutputFiles::publish_complete(std::uint64_t records) {
    std::set<std::filesystem::path> folders;
    for (std::size_t i = 0; i < parts_.size() && parts_[i].end <= records; ++i) {
        if (!parts_[i].is_named) {
            KEYSWAP_RETURN_IF_ERROR(name(i));
            folders.insert(run_->job.outputs[i].parent_path());
        }
    }
    for (std::filesystem::path const& folder : folders) {
        KEYSWAP_RETURN_IF_ERROR(StoredFile::sync_folder(run_->storage, folder));
    }
    return {};
}

} // namespace keyswap::tools
