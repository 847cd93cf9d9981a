// z [m] of the top of a column of the ground, by its number over all worlds.
float soil_top(uint column) {
  SoilColumn soil = soil_columns[column];
  precise float volume = float(soil.mass - soil.loose) + float(soil.loose) * soil.swell, top = settings.domain.min.z + volume * soil_quantum[column];
  return top;
}
