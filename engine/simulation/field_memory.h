#pragma once
// The fields of a simulation: how large they are, and what the model puts into them.
#include "engine/base/assert.h"
#include "engine/simulation/model.h"

namespace talus {

// Owns the executor, and with it all fields.
//
// Between calls:
// - Every field has elements_of(field, settings, population) elements of the model, or none where the solver does not
//   need it.
// - The field `settings` is Model::settings(), and the fields that never change in a run are those of the model.
// - Worlds lie one after another in a field of worlds, each with share_of(field) bytes.
//
// Needs the model, whose capacity for contacts it raises when contacts find no room.
class FieldMemory {
public:
  FieldMemory(Model& model, std::unique_ptr<Executor> executor);

  Executor& executor() const { return *executor_; }

  // Steps of one submission that there is room for: the motions of all bodies in them fit their field.
  std::uint64_t batch_most() const;
  bool has_field(FieldId id, const Settings& of) const;
  std::size_t elements_of(FieldId id, const Settings& settings, const Population& population) const;  // in all worlds
  std::size_t share_of(FieldId id) const;         // bytes of each world, 0 where worlds share the field
  std::vector<FieldId> fields_of_worlds() const;  // saved fields of which each world has a share
  std::uint64_t bytes() const;                    // that all fields and their copies take

  template <class T> void write_share(std::uint32_t world, FieldId id, const std::vector<T>& data) {
    TALUS_ASSERT(world < model_.worlds(), world, model_.worlds());
    TALUS_ASSERT(data.size() * sizeof(T) <= share_of(id), data.size(), share_of(id), id);
    executor_->write(id, std::as_bytes(std::span(data)), world * share_of(id));
  }
  template <class T> std::vector<T> read_share(std::uint32_t world, FieldId id) const {
    TALUS_ASSERT(world < model_.worlds(), world, model_.worlds());
    std::vector<T> data(share_of(id) / sizeof(T));
    executor_->read(id, std::as_writable_bytes(std::span(data)), world * share_of(id));
    return data;
  }
  // Elements of a field that follows grains as they are in slots that never held one.
  void clear_slots(FieldId id, std::size_t first, std::size_t count);
  void forget_contacts();  // the histories of contacts of grains, and those of the points of dynamic bodies
  void forget_point_contacts();
  // All grains are awake from now on.
  void wake_grains();                // and dynamic bodies
  void wake_body(std::size_t body);  // a dynamic one
  // Between steps, where lists are invalid: no slice weighs or stands, and bodies bear nothing of them.
  void forget_slices();
  // After a state was written to `grains`, with lists that hold: a slice that does not run is the same in both copies.
  void copy_sleepers();
  // Moves bytes to a higher offset of the same field, where the two ranges may overlap.
  void move_right(FieldId id, std::size_t from, std::size_t to, std::size_t bytes);

  void specialize();      // the executor's passes, for what the scene has
  void write_settings();  // what passes read of the model that a change of settings may change, but for the emission
                          // schedules
  void write_changed();   // bodies and shapes after a change of settings
  void write_parts();     // of bodies, after Model::reshape()
  void write_cameras();   // depth cameras, and room for their images
  // After the model has changed, or a state was taken over: fields that have their size already keep their content.
  void resize_all();
  // Makes room for so many places of a world with soil. Throws ResourceError, which names the step.
  void grow_places(uint places, std::uint64_t step);
  // Takes the number of contact rows from the field of contacts, which a checkpoint has filled.
  void count_rows();
  // The sets of bodies near cells are not saved: each has all of them, and counts as one with grains, until lists are
  // built or bodies move. Rows hold those within reach, so that they come out the same.
  void put_all_bodies_in_cells();
  // Makes room for the contacts and the histories that the device counted, and a quarter more. Throws ResourceError,
  // which names the step.
  void grow_contacts(const Status& status, std::uint64_t step);

private:
  Wants wants_of(const Settings& of) const;
  // Elements in one world where each world has as many, and in all worlds elsewhere.
  std::size_t elements_of(Extent extent, const Settings& settings, const Population& population) const;
  void write_constants();
  void write_shape_data();
  void write_ground();  // what of it stays the same
  void resize_rows(uint rows, uint history);

  Model& model_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace talus
